/** Which texts are an idempotency key, which of them nobody can guess, and the problem to report for the others. */
import type { Problem } from './check-fields.ts'
import { idempotencyKeyLength } from './limits.ts'

const { min, max } = idempotencyKeyLength

/** Printed in our documents, so many clients send it: it counts as no key. */
export const exampleKey = '8e03978e-40d5-43dd-bc93-6894a57f9324'

export function isKey(value: unknown): value is string {
  return typeof value === 'string' && value.length >= min && value.length <= max
}

export function isExampleKey(key: string): boolean {
  return key.toLowerCase() === exampleKey
}

/** By its shape: a UUID, or 22 random characters and more. */
export function isUnguessable(key: string): boolean {
  return uuid.test(key) || isLongHex(key) || (longText.test(key) && looksRandom(key))
}

/** Not one such as 00000000-0000-0000-0000-000000000000. */
const uuid = /^(?!(.)\1{7})[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i
const longText = /^[\w+/=.~-]{22,}$/

/** 128 bits and more. Both kinds of digits: a date and a number are no such text. */
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

/** `field`: the header or the member of the body that held it. */
export function keyProblem(field: string): Problem {
  return { field, problem: `must be a text of ${min} to ${max} characters`, example: exampleKey }
}
