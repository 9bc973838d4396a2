/** Idempotency keys: which texts are valid, which keys nobody can guess, and the problem reported for an invalid one. */
import type { Problem } from './check-fields.ts'
import { idempotencyKeyLength } from './limits.ts'

const { min, max } = idempotencyKeyLength

/** The key printed in our documents. Many clients send it, so it counts as no key. */
export const exampleKey = '8e03978e-40d5-43dd-bc93-6894a57f9324'

export function isKey(value: unknown): value is string {
  return typeof value === 'string' && value.length >= min && value.length <= max
}

export function isExampleKey(key: string): boolean {
  return key.toLowerCase() === exampleKey
}

/** Judges a key by its shape: UUIDs and at least 22 random characters cannot be guessed. */
export function isUnguessable(key: string): boolean {
  return uuid.test(key) || isLongHex(key) || (longText.test(key) && looksRandom(key))
}

/** Matches a UUID, but not one such as 00000000-0000-0000-0000-000000000000. */
const uuid = /^(?!(.)\1{7})[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i
const longText = /^[\w+/=.~-]{22,}$/

/** Whether the text is at least 128 bits in hex. It must mix digits and letters, unlike a date or a number. */
function isLongHex(text: string): boolean {
  return /^(?=.*\d)(?=.*[a-f])[\da-f]{32,}$/i.test(text) && new Set(text).size >= 8
}

/**
 * Random text changes between small letters, capitals and digits at every second character or so;
 * words and dates rarely do.
 */
function looksRandom(text: string): boolean {
  const runs = text.match(/[a-z]+|[A-Z]+|\d+/g) ?? []
  return runs.length > text.length / 5 && new Set(text).size >= 8
}

/** `field` names the header or the body's field that held the key. */
export function keyProblem(field: string): Problem {
  return { field, problem: `must be a text of ${min} to ${max} characters`, example: exampleKey }
}
