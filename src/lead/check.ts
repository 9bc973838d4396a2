/** Checks a sent lead: its fields, the unlisted ones, and the honeypot. */
import { checkFields, normaliseText, type Problem } from '../contract/check-fields.ts'
import { fields, keyName, trapName, type FieldValues } from '../contract/fields.ts'
import { unlistedLimits } from '../contract/limits.ts'

export type CheckedLead = {
  values: FieldValues
  /** Unlisted fields as JSON; '' when there are none. */
  unlisted: string
  unlistedNames: readonly string[]
  /** The text in the honeypot; '' if it was left empty. */
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

const listedNames = new Set<string>([...fields.map((field) => field.name), trapName, keyName])

export function isListedField(name: string): boolean {
  return listedNames.has(name)
}

export function readUnlisted(
  body: Readonly<Record<string, unknown>>,
): { json: string; names: readonly string[] } | { problem: string } {
  const names = Object.keys(body).filter((name) => !isListedField(name))
  if (names.length === 0) return { json: '', names }
  const { fields: most, bytes, depth } = unlistedLimits
  if (names.length > most) return { problem: `are too many: at most ${most}` }
  // Names are sorted, so that the same fields in another order count as the same content.
  const sent = Object.fromEntries(names.toSorted().map((name) => [name, body[name]]))
  try {
    const json = JSON.stringify(tidy(sent, depth))
    if (Buffer.byteLength(json) <= bytes) return { json, names: names.map(normaliseText) }
    return { problem: `are too large: at most ${bytes} bytes as JSON` }
  } catch (error) {
    if (error instanceof Unfit) return { problem: error.message }
    throw error
  }
}

class Unfit extends Error {}

/** The copies of objects have no prototype, so a key `__proto__` is kept like any other. */
function tidy(value: unknown, depthLeft: number): unknown {
  if (typeof value === 'string') return normaliseText(value)
  // JSON.parse may have rounded a number this large.
  if (typeof value === 'number' && Math.abs(value) > Number.MAX_SAFE_INTEGER) {
    throw new Unfit('have a number with too many digits: send it as text')
  }
  if (typeof value !== 'object' || value === null) return value
  if (depthLeft === 0) {
    throw new Unfit(`are nested too deep: at most ${unlistedLimits.depth} levels`)
  }
  if (Array.isArray(value)) return value.map((item) => tidy(item, depthLeft - 1))
  const copy: Record<string, unknown> = Object.create(null)
  for (const [name, item] of Object.entries(value)) {
    const plain = normaliseText(name)
    if (plain in copy) {
      throw new Unfit('have two names that differ only in blanks or control characters')
    }
    copy[plain] = tidy(item, depthLeft - 1)
  }
  return copy
}

function readTrap(sent: unknown): string {
  if (sent === undefined || sent === null || sent === false) return ''
  return typeof sent === 'string' ? normaliseText(sent) : `(${typeof sent})`
}
