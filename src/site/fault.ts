/** The text of a file from `firstLine` on. */
export type Source = { file: string; text: string; firstLine: number }

export type Fault = { file: string; line: number; problem: string }

/** Errors in content/ that stop the start, each as `file:line: problem` on a line of its own. */
export class ContentFault extends Error {
  readonly sentences: readonly string[]

  constructor(...faults: readonly Fault[]) {
    const inOrder = faults.toSorted((a, b) => a.file.localeCompare(b.file) || a.line - b.line)
    const sentences = inOrder.map(({ file, line, problem }) => `${file}:${line}: ${problem}`)
    super(sentences.join('\n'))
    this.sentences = sentences
  }
}

/** The line of the character at `index`, counted from one. */
export function lineAt(text: string, index: number): number {
  return text.slice(0, index).split('\n').length
}
