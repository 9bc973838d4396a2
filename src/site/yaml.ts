/** YAML in and out: the owner's facts and front matter are read, descriptions are written. */
import { parseDocument, stringify } from 'yaml'
import { ContentFault } from './fault.ts'

/** Throws with `file:line: what is wrong`. `firstLine` is where the text starts in its file. */
export function readYaml(text: string, file: string, firstLine = 1): unknown {
  const document = parseDocument(text, { prettyErrors: true })
  // A warning is a tag that nobody knows: whoever wrote it meant something by it.
  const problem = document.errors[0] ?? document.warnings[0]
  if (problem !== undefined) {
    const line = (problem.linePos?.[0].line ?? 1) + firstLine - 1
    throw new ContentFault(file, line, inOneLine(problem.message))
  }
  try {
    return document.toJS()
  } catch (error) {
    // An alias of nothing is found only here, without its line.
    throw new ContentFault(file, firstLine, (error as Error).message)
  }
}

/** Every value stands where it is used, without anchors, and is safe for readers of YAML 1.1 too. */
export function toYaml(value: unknown): string {
  return stringify(value, { aliasDuplicateObjects: false, compat: 'yaml-1.1', lineWidth: 100 })
}

/** The package adds its own place and a drawing of it. */
function inOneLine(message: string): string {
  return message.split('\n', 1)[0]!.replace(/ at line \d+, column \d+:?$/, '')
}
