/** An error in content/ that stops the start, as `file:line: problem`. */
export class ContentFault extends Error {
  constructor(file: string, line: number, problem: string) {
    super(`${file}:${line}: ${problem}`)
  }
}

/** The line of the character at `index`, counted from one. */
export function lineAt(text: string, index: number): number {
  return text.slice(0, index).split('\n').length
}
