/** Reads and writes YAML. */
import { parseDocument, stringify } from 'yaml'
import { ContentFault } from './fault.ts'

/** Throws a `ContentFault`. `firstLine`: where the text starts in its file. */
export function readYaml(text: string, file: string, firstLine = 1): unknown {
  const document = parseDocument(text, { prettyErrors: true })
  // A warning is an unknown tag, which is more likely a mistake than meant.
  const problem = document.errors[0] ?? document.warnings[0]
  if (problem !== undefined) {
    const line = (problem.linePos?.[0].line ?? 1) + firstLine - 1
    throw new ContentFault(file, line, inOneLine(problem.message))
  }
  try {
    return document.toJS()
  } catch (error) {
    // An alias without an anchor is found only here, without its line.
    throw new ContentFault(file, firstLine, (error as Error).message)
  }
}

/** Without anchors, and quoted so that readers of YAML 1.1 see the same values. */
export function toYaml(value: unknown): string {
  return stringify(value, { aliasDuplicateObjects: false, compat: 'yaml-1.1', lineWidth: 100 })
}

/** The package appends its own position and an excerpt. */
function inOneLine(message: string): string {
  if (/^Implicit (?:map )?keys/.test(message)) return 'a colon and a space are missing in this line'
  return message.split('\n', 1)[0]!.replace(/ at line \d+, column \d+:?$/, '')
}
