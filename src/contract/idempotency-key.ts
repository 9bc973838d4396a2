import type { Problem } from './check-fields.ts'
import { idempotencyKeyLength } from './limits.ts'

const { min, max } = idempotencyKeyLength

/** Clients copy this key from our documents, so it counts as no key. */
export const exampleKey = '8e03978e-40d5-43dd-bc93-6894a57f9324'

export function isKey(value: unknown): value is string {
  return typeof value === 'string' && value.length >= min && value.length <= max
}

export function isExampleKey(key: string): boolean {
  return key.toLowerCase() === exampleKey
}

export function isUnguessable(key: string): boolean {
  // Random text often changes between small letters, capitals and digits. Words rarely do.
  const runs = key.match(/[a-z]+|[A-Z]+|\d+/g) ?? []
  const looksRandom = /^[\w+/=.~-]{22,}$/.test(key) && runs.length > key.length / 5
  return (looksRandom || uuid.test(key)) && new Set(key).size >= 8
}

const uuid = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i

export function keyProblem(field: string): Problem {
  return { field, problem: `must be a text of ${min} to ${max} characters`, example: exampleKey }
}
