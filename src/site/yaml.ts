/** Reads and writes YAML. */
import { isMap, isNode, isScalar, isSeq, parseDocument, Scalar, stringify, visit } from 'yaml'
import type { Document } from 'yaml'
import { ContentFault, lineAt } from './fault.ts'
import { explainYaml } from './yaml-problems.ts'
import type { MistakeAt } from './yaml-problems.ts'

/** Names of entries, and positions in lists, counted from zero. */
export type YamlPath = readonly (string | number)[]

export type ReadYaml = {
  value: unknown
  /** The line of the innermost entry on the path that is there. */
  lineOf: (path: YamlPath) => number
}

/** Throws a `ContentFault`. `firstLine`: where the text starts in its file. */
export function readYaml(text: string, file: string, firstLine = 1): ReadYaml {
  const document = parseDocument(text, { prettyErrors: false, logLevel: 'error' })
  const toLine = (index: number) => lineAt(text, index) + firstLine - 1
  // A warning is an unknown tag, which is more likely a mistake than meant.
  const [first, second] = [...document.errors, ...document.warnings, ...lostAliases(document)]
  if (first === undefined) {
    return { value: document.toJS(), lineOf: (path) => toLine(startOf(document.contents, path)) }
  }
  const { code, message, pos } = first
  const before = text.slice(0, pos[0])
  const { words, at } = explainYaml({ code, message, nextCode: second?.code, before })
  const lines: Record<MistakeAt, number> = {
    error: toLine(pos[0]),
    'next line': toLine(pos[0]) + 1,
    opening: toLine(lastOpening(document, pos[0])),
  }
  throw new ContentFault({ file, line: lines[at], problem: words })
}

/** Without anchors, and quoted so that readers of YAML 1.1 see the same values. */
export function toYaml(value: unknown): string {
  return stringify(value, { aliasDuplicateObjects: false, compat: 'yaml-1.1', lineWidth: 100 })
}

type Mistake = { code: string; message: string; pos: [number, number] }

/** The parser finds those without an anchor only later, and without their place. */
function lostAliases(document: Document): Mistake[] {
  const found: Mistake[] = []
  visit(document, {
    Alias(_, alias) {
      if (alias.resolve(document) !== undefined) return
      const [start, end] = alias.range!
      found.push({ code: 'BAD_ALIAS', message: 'Unresolved alias', pos: [start, end] })
    },
  })
  return found
}

const quoted = new Set<unknown>([Scalar.QUOTE_SINGLE, Scalar.QUOTE_DOUBLE])

/** Where the last text in quotes, or the last list in brackets, before the place begins. */
function lastOpening(document: Document, before: number): number {
  let last = before
  visit(document, {
    Node(_, node) {
      const isQuoted = isScalar(node) && quoted.has(node.type)
      const isBracketed = (isSeq(node) || isMap(node)) && node.flow
      const [start = before] = node.range ?? []
      if ((isQuoted || isBracketed) && start < before) last = start
    },
  })
  return last
}

/** Where the innermost entry on the path that is there begins. */
function startOf(node: unknown, [part, ...rest]: YamlPath, found = 0): number {
  const pair = isMap(node)
    ? node.items.find(({ key }) => isScalar(key) && String(key.value) === part)
    : undefined
  const inner = isSeq(node) ? node.items[Number(part)] : pair?.value
  const begin = isSeq(node) ? inner : pair?.key
  if (!isNode(begin) || !begin.range) return found
  return startOf(inner, rest, begin.range[0])
}
