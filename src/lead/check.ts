/** Checks the body of a lead: listed fields by their rows, unlisted fields by their size. Reads the honeypot. */
import { checkFields, normaliseText, type Problem } from '../contract/check-fields.ts'
import { fields, keyName, trapName, type FieldValues } from '../contract/fields.ts'
import { unlistedLimits } from '../contract/limits.ts'

export type CheckedLead = {
  values: FieldValues
  /** Unlisted fields as JSON; '' when there are none. */
  unlisted: string
  /** Names of the unlisted fields, in the order they were sent. */
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

type Unlisted = { json: string; names: readonly string[] }

const listed = new Set<string>([...fields.map((field) => field.name), trapName, keyName])

export function isListed(name: string): boolean {
  return listed.has(name)
}

/** Returns the unlisted fields as JSON, or the reason why a lead cannot hold them. */
export function readUnlisted(
  body: Readonly<Record<string, unknown>>,
): Unlisted | { problem: string } {
  const names = Object.keys(body).filter((name) => !isListed(name))
  if (names.length === 0) return { json: '', names }
  if (names.length > unlistedLimits.fields) {
    return { problem: `are too many: at most ${unlistedLimits.fields}` }
  }
  const kept: Record<string, unknown> = Object.create(null)
  // Names are sorted, so that the same fields in another order are the same lead.
  for (const name of names.toSorted()) {
    const value = tidy(body[name], unlistedLimits.depth - 1)
    if (value instanceof Unfit) return value
    const plain = normaliseText(name)
    if (plain in kept) return twoNames
    kept[plain] = value
  }
  const json = JSON.stringify(kept)
  if (Buffer.byteLength(json) > unlistedLimits.bytes) {
    return { problem: `are too large: at most ${unlistedLimits.bytes} bytes as JSON` }
  }
  return { json, names: names.map(normaliseText) }
}

/** The reason why unlisted fields cannot be kept as they were sent. */
class Unfit {
  readonly problem: string
  constructor(problem: string) {
    this.problem = problem
  }
}

const tooDeep = new Unfit(`are nested too deep: at most ${unlistedLimits.depth} levels`)
const twoNames = new Unfit('have two names that differ only in blanks or control characters')
const inexact = new Unfit('have a number with too many digits: send it as text')

/** Copies a value with every text normalised. Objects get no prototype, so a key `__proto__` is kept like any other. */
function tidy(value: unknown, depthLeft: number): unknown {
  if (typeof value === 'string') return normaliseText(value)
  // JSON.parse may have rounded so large a number.
  if (typeof value === 'number' && Math.abs(value) > Number.MAX_SAFE_INTEGER) return inexact
  if (typeof value !== 'object' || value === null) return value
  if (depthLeft === 0) return tooDeep
  const isList = Array.isArray(value)
  const copy: Record<string, unknown> = isList ? [] : Object.create(null)
  for (const [name, item] of Object.entries(value)) {
    const tidied = tidy(item, depthLeft - 1)
    if (tidied instanceof Unfit) return tidied
    const plain = isList ? name : normaliseText(name)
    if (!isList && plain in copy) return twoNames
    copy[plain] = tidied
  }
  return copy
}

/** Returns '' if the honeypot is absent, blank, null or false. */
function readTrap(sent: unknown): string {
  if (sent === undefined || sent === null || sent === false) return ''
  return typeof sent === 'string' ? normaliseText(sent) : `(${typeof sent})`
}
