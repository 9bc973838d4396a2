/** Checks what was read from YAML against a shape, and says what is wrong and in which line. */
import { readFileSync } from 'node:fs'
import { nearestName } from '../spelling.ts'
import { ContentFault } from './fault.ts'
import type { Fault, Source } from './fault.ts'
import { readYaml } from './yaml.ts'
import type { YamlPath } from './yaml.ts'

type ShapeProblem = { at: YamlPath; what: string }
export type ShapeCheck = (value: unknown, at: YamlPath) => ShapeProblem[]

/** Throws a `ContentFault`. The caller knows the type that the check stands for. */
export function readShaped(file: string, isRight: ShapeCheck): unknown {
  const source = { file, text: readFileSync(file, 'utf8'), firstLine: 1 }
  const { value, faults } = findFaults(source, isRight)
  if (faults.length > 0) throw new ContentFault(...faults)
  return value
}

/** Throws a `ContentFault` where the text is not YAML. */
export function findFaults(
  { file, text: source, firstLine }: Source,
  isRight: ShapeCheck,
): { value: unknown; faults: Fault[] } {
  const { value, lineOf } = readYaml(source, file, firstLine)
  const faults = isRight(value, []).map(({ at, what }) => {
    return { file, line: lineOf(at), problem: `${inWords(at)} ${what}`.trim() }
  })
  return { value, faults }
}

/** As in "hours, entry 2, opens". */
function inWords(at: YamlPath): string {
  return at.map((part) => (typeof part === 'number' ? `entry ${part + 1}` : part)).join(', ')
}

export function text(value: unknown, at: YamlPath): ShapeProblem[] {
  if (value === undefined) return [{ at, what: 'is missing' }]
  if (typeof value === 'string' && value.trim() !== '') return []
  if (value === null || typeof value === 'string') return [{ at, what: 'is empty' }]
  // A colon in a text makes it a group, and digits a number.
  return [{ at, what: 'must be a text: put quotes around it' }]
}

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
    return (value as unknown[]).flatMap((item, index) => each(item, [...at, index]))
  }
}

export function shape(rows: Readonly<Record<string, ShapeCheck>>): ShapeCheck {
  const names = Object.keys(rows)
  const whole = check(`must be a group with the entries ${names.join(', ')}`, (value) => {
    return typeof value === 'object' && value !== null && !Array.isArray(value)
  })
  return (value, at) => {
    const problems = whole(value, at)
    if (problems.length > 0) return problems
    const found = value as Record<string, unknown>
    const unknown = Object.keys(found).filter((key) => !names.includes(key))
    const absent = names.filter((name) => found[name] === undefined)
    const meant = unknown.map((key) => nearestName(key, absent))
    return [
      ...unknown.map((key, index) => ({
        at: [...at, key],
        what: `is not a known entry${meant[index] === undefined ? '' : `; ${meant[index]}?`}`,
      })),
      ...Object.entries(rows)
        // A misspelled entry is not told to be missing, too.
        .filter(([key]) => !meant.includes(key))
        .flatMap(([key, inner]) => inner(found[key], [...at, key])),
    ]
  }
}
