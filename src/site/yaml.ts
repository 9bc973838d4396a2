/** Checks the owner's YAML against a shape, and names the line of each mistake. */
import { readFileSync } from 'node:fs'
import { isMap, isNode, isScalar, isSeq, LineCounter, parseDocument, stringify, visit } from 'yaml'

/** `firstLine` is the line of the file at which the text starts. */
export type Source = { file: string; text: string; firstLine: number }

export type Fault = { file: string; line: number; problem: string }

/** The message has a line for each mistake: `file:line: problem`. */
export class ContentFault extends Error {
  readonly faults: readonly Fault[]
  readonly sentences: readonly string[]

  constructor(...faults: readonly Fault[]) {
    const inOrder = faults.toSorted((a, b) => a.file.localeCompare(b.file) || a.line - b.line)
    const sentences = inOrder.map(({ file, line, problem }) => `${file}:${line}: ${problem}`)
    super(sentences.join('\n'))
    this.faults = faults
    this.sentences = sentences
  }
}

/** Returns what `read` returns, or `undefined` with its faults added to `faults`, so that reading goes on. */
export function collect<T>(faults: Fault[], read: () => T): T | undefined {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof ContentFault)) throw error
    faults.push(...error.faults)
    return undefined
  }
}

/** The first line is 1. */
export function lineAt(text: string, index: number): number {
  return text.slice(0, index).split('\n').length
}

type YamlPath = readonly (string | number)[]

const advice =
  'Entries that belong together begin in the same column; a text with an apostrophe, a colon or a sign such as # @ * in it needs "…" around it.'

/** What the parser says in terms that an owner does not know. */
const plainly: Readonly<Record<string, string>> = {
  BLOCK_AS_IMPLICIT_KEY: 'The text has a second colon',
}

/** Throws a `ContentFault` with a fault for each line that is not YAML. */
export function readYaml(text: string, file: string, firstLine = 1) {
  const lines = new LineCounter()
  const options = { lineCounter: lines, prettyErrors: false, logLevel: 'error' } as const
  const document = parseDocument(text, options)
  const toLine = (index: number) => lines.linePos(index).line + firstLine - 1
  // Warnings are about unknown tags, such as `!text`, which are probably mistakes.
  const found = [...document.errors, ...document.warnings].map(({ pos, code, message }) => {
    return { index: pos[0], message: plainly[code] ?? message }
  })
  visit(document, {
    Alias(_, { range }) {
      found.push({ index: range![0], message: 'A text must not begin with *' })
    },
  })
  const byLine = Map.groupBy(found, ({ index }) => toLine(index))
  const faults = [...byLine].map(([line, [first]]) => {
    return { file, line, problem: `${first!.message}. ${advice}` }
  })
  if (faults.length > 0) throw new ContentFault(...faults)
  const lineOf = (path: YamlPath) => toLine(lineOfPart(document.contents, path))
  return { value: document.toJS() as unknown, lineOf }
}

/** The position of the entry at the path, or of its closest parent that exists. */
function lineOfPart(node: unknown, [part, ...rest]: YamlPath, found = 0): number {
  const pair = isMap(node)
    ? node.items.find(({ key }) => isScalar(key) && String(key.value) === part)
    : undefined
  const inner = isSeq(node) ? node.items[Number(part)] : pair?.value
  const begin = isSeq(node) ? inner : pair?.key
  if (!isNode(begin) || !begin.range) return found
  return lineOfPart(inner, rest, begin.range[0])
}

/** Puts quotes around text that YAML 1.1 would read as another value, such as `no`. */
export function toYaml(value: unknown): string {
  return stringify(value, { aliasDuplicateObjects: false, compat: 'yaml-1.1', lineWidth: 100 })
}

type ShapeProblem = { at: YamlPath; what: string }
export type ShapeCheck = (value: unknown, at: YamlPath) => ShapeProblem[]

/** The caller must cast the result to the type that `isRight` checks. */
export function readShaped(file: string, isRight: ShapeCheck): unknown {
  const source = { file, text: readFileSync(file, 'utf8'), firstLine: 1 }
  const { value, faults } = findFaults(source, isRight)
  if (faults.length > 0) throw new ContentFault(...faults)
  return value
}

export function findFaults({ file, text, firstLine }: Source, isRight: ShapeCheck) {
  const { value, lineOf } = readYaml(text, file, firstLine)
  const faults: Fault[] = isRight(value, []).map(({ at, what }) => {
    // "hours, entry 2, opens must be …"
    const names = at.map((part) => (typeof part === 'number' ? `entry ${part + 1}` : part))
    return { file, line: lineOf(at), problem: `${names.join(', ')} ${what}`.trim() }
  })
  return { value, faults }
}

export function check(what: string, isRight: (value: unknown) => boolean): ShapeCheck {
  return (value, at) => {
    if (value === undefined) return [{ at, what: 'is missing' }]
    return isRight(value) ? [] : [{ at, what }]
  }
}

export function prose(value: unknown, at: YamlPath): ShapeProblem[] {
  if (value === undefined) return [{ at, what: 'is missing' }]
  if (typeof value === 'string' && value.trim() !== '') return []
  const isEmpty = value === null || typeof value === 'string'
  // Without quotes, YAML reads a text with a colon as a group, and digits as a number.
  return [{ at, what: isEmpty ? 'is empty' : 'must be a text: put quotes around it' }]
}

export function optional(inner: ShapeCheck): ShapeCheck {
  return (value, at) => (value === undefined ? [] : inner(value, at))
}

export function matching(pattern: RegExp, what: string): ShapeCheck {
  return check(what, (value) => typeof value === 'string' && pattern.test(value))
}

export function oneOf(choices: readonly unknown[]): ShapeCheck {
  return check(`must be one of ${choices.join(', ')}`, (value) => choices.includes(value))
}

/** Calls `next` only if `first` finds no problem, so that `next` can rely on the type. */
export function andThen(
  first: ShapeCheck,
  next: (value: never, at: YamlPath) => ShapeProblem[],
): ShapeCheck {
  return (value, at) => {
    const problems = first(value, at)
    return problems.length > 0 ? problems : next(value as never, at)
  }
}

export function listOf(each: ShapeCheck): ShapeCheck {
  const isList = (value: unknown) => Array.isArray(value) && value.length > 0
  const whole = check('must be a list with at least one entry', isList)
  return andThen(whole, (items: unknown[], at) =>
    items.flatMap((item, index) => each(item, [...at, index])),
  )
}

export function shape(rows: Readonly<Record<string, ShapeCheck>>): ShapeCheck {
  const isGroup = (value: unknown) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
  const whole = check(`must be a group with the entries ${Object.keys(rows).join(', ')}`, isGroup)
  return andThen(whole, (found: Record<string, unknown>, at) => {
    const unknown = Object.keys(found).filter((key) => !Object.hasOwn(rows, key))
    return [
      ...unknown.map((key) => ({ at: [...at, key], what: 'is not a known entry' })),
      ...Object.entries(rows).flatMap(([key, inner]) => inner(found[key], [...at, key])),
    ]
  })
}
