/** Checks what was read from YAML against a shape, and says what is wrong and in which line. */
import { readFileSync } from 'node:fs'
import { ContentFault, lineAt } from './fault.ts'
import { readYaml } from './yaml.ts'

type ShapeProblem = { at: readonly string[]; what: string }
export type ShapeCheck = (value: unknown, at: readonly string[]) => ShapeProblem[]

/** Throws a `ContentFault`. The caller knows the type that the check stands for. */
export function readShaped(file: string, isRight: ShapeCheck): unknown {
  const source = readFileSync(file, 'utf8')
  const value = readYaml(source, file)
  const [problem] = isRight(value, [])
  if (problem === undefined) return value
  const { at, what } = problem
  throw new ContentFault(file, lineOf(source, at), `${at.join('.')} ${what}`.trim())
}

export const text = check(
  'must be a text',
  (value) => typeof value === 'string' && value.trim() !== '',
)

export function check(what: string, isRight: (value: unknown) => boolean): ShapeCheck {
  return (value, at) => {
    if (value === undefined) return [{ at, what: 'is missing' }]
    return isRight(value) ? [] : [{ at, what }]
  }
}

export function optional(inner: ShapeCheck): ShapeCheck {
  return (value, at) => (value === undefined ? [] : inner(value, at))
}

export function matching(pattern: RegExp, what: string): ShapeCheck {
  return check(what, (value) => typeof value === 'string' && pattern.test(value))
}

export function listOf(each: ShapeCheck): ShapeCheck {
  const whole = check('must be a list with at least one entry', (value) => {
    return Array.isArray(value) && value.length > 0
  })
  return (value, at) => {
    const problems = whole(value, at)
    if (problems.length > 0) return problems
    return (value as unknown[]).flatMap((item, index) => each(item, [...at, String(index + 1)]))
  }
}

export function shape(rows: Readonly<Record<string, ShapeCheck>>): ShapeCheck {
  const whole = check('must be a group of entries', (value) => {
    return typeof value === 'object' && value !== null && !Array.isArray(value)
  })
  return (value, at) => {
    const problems = whole(value, at)
    if (problems.length > 0) return problems
    const found = value as Record<string, unknown>
    const unknown = Object.keys(found).filter((key) => !Object.hasOwn(rows, key))
    return [
      // First: a misspelled entry is missing, too.
      ...unknown.map((key) => ({ at: [...at, key], what: 'is not a known entry' })),
      ...Object.entries(rows).flatMap(([key, inner]) => inner(found[key], [...at, key])),
    ]
  }
}

/** The line of the innermost entry that exists. */
function lineOf(source: string, at: readonly string[]): number {
  let from = 0
  let end = source.length
  for (const [depth, key] of at.filter((part) => !/^\d+$/.test(part)).entries()) {
    const start = depth === 0 ? '^' : '^[ -]+'
    const found = new RegExp(`${start}${key}:`, 'm').exec(source.slice(from, end))
    if (found === null) break
    from += found.index + found[0].length
    // A group ends where the next one begins.
    const next = /\n[^\s#-]/.exec(source.slice(from, end))
    if (depth === 0 && next !== null) end = from + next.index
  }
  return lineAt(source, from)
}
