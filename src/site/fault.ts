/** Something in content/ that must be mended before the site can be shown: `file:line: what is wrong`. */
export class ContentFault extends Error {
  constructor(file: string, line: number, problem: string) {
    super(`${file}:${line}: ${problem}`)
  }
}

/** The line, counted from one, on which the character at `index` stands. */
export function lineAt(text: string, index: number): number {
  return text.slice(0, index).split('\n').length
}
