/** Checks a body: listed fields by their rows, unlisted ones by their size; reads the honeypot. */
import { checkFields, normaliseText, type Problem } from '../contract/check-fields.ts'
import { fields, keyName, trapName, type FieldValues } from '../contract/fields.ts'
import { unlistedLimits } from '../contract/limits.ts'

export type CheckedLead = {
  values: FieldValues
  /** As JSON; '' when there are none. */
  unlisted: string
  /** In the order they were sent. */
  unlistedNames: readonly string[]
  /** What stood in the honeypot; '' when it was left empty. */
  trap: string
}

export type Check = { problems: Problem[] } | { lead: CheckedLead }

export function checkLead(body: Readonly<Record<string, unknown>>): Check {
  const { values, problems } = checkFields(body)
  const unlisted = readUnlisted(body)
  if ('problem' in unlisted) {
    problems.push({
      field: '(unlisted fields)',
      problem: unlisted.problem,
      example: '{"colour":"grey"}',
    })
  }
  if (problems.length > 0 || 'problem' in unlisted) return { problems }
  const { json, names } = unlisted
  const trap = readTrap(body[trapName])
  return { lead: { values, unlisted: json, unlistedNames: names, trap } }
}

type Unlisted = { json: string; names: readonly string[] }

const noUnlisted: Unlisted = { json: '', names: [] }
const listed = new Set<string>([...fields.map((field) => field.name), trapName, keyName])

/** As JSON, if a lead may hold them. */
export function readUnlisted(
  body: Readonly<Record<string, unknown>>,
): Unlisted | { problem: string } {
  const names: string[] = []
  for (const name of Object.keys(body)) if (!listed.has(name)) names.push(name)
  if (names.length === 0) return noUnlisted
  if (names.length > unlistedLimits.fields) {
    return { problem: `are too many: at most ${unlistedLimits.fields}` }
  }
  const kept: Record<string, unknown> = Object.create(null)
  const room = { values: mostValues }
  // Sorted, so that the same fields in another order are the same lead.
  for (const name of names.toSorted()) {
    const value = tidy(body[name], unlistedLimits.depth - 1, room)
    if (value === tooDeep)
      return { problem: `are nested too deep: at most ${unlistedLimits.depth} levels` }
    if (value === tooMany) return tooLarge
    const plain = normaliseText(name)
    if (plain in kept)
      return { problem: 'have two names that differ only in blanks or control characters' }
    kept[plain] = value
  }
  const json = JSON.stringify(kept)
  return Buffer.byteLength(json) > unlistedLimits.bytes
    ? tooLarge
    : { json, names: names.map(normaliseText) }
}

const tooLarge = { problem: `are too large: at most ${unlistedLimits.bytes} bytes as JSON` }
const tooDeep = Symbol('too deep')
const tooMany = Symbol('too many')
/** Each takes at least two bytes of JSON, with its comma. */
const mostValues = unlistedLimits.bytes / 2

/** A copy with every text normalised. Objects get no prototype, so a key named `__proto__` is a key. */
function tidy(value: unknown, depthLeft: number, room: { values: number }): unknown {
  if ((room.values -= 1) < 0) return tooMany
  if (typeof value === 'string') return normaliseText(value)
  if (typeof value !== 'object' || value === null) return value
  if (depthLeft === 0) return tooDeep
  const copy: Record<string, unknown> | unknown[] = Array.isArray(value) ? [] : Object.create(null)
  for (const [name, item] of Object.entries(value)) {
    const tidied = tidy(item, depthLeft - 1, room)
    if (tidied === tooDeep || tidied === tooMany) return tidied
    ;(copy as Record<string, unknown>)[Array.isArray(value) ? name : normaliseText(name)] = tidied
  }
  return copy
}

/** Absent, blank, null and false count as empty. */
function readTrap(sent: unknown): string {
  if (sent === undefined || sent === null || sent === false) return ''
  return typeof sent === 'string' ? normaliseText(sent) : `(${typeof sent})`
}
