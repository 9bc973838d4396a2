/** Checks idempotency keys, and finds those that no stranger can guess. */
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

/** A key that others may use, too, must count only together with its client: docs/decisions/0002-repeats.md. */
export function isUnguessable(key: string): boolean {
  const plain = key.toLowerCase()
  const isMadeUp = published.has(plain) || new Set(plain).size < 8
  return randomUuid.test(plain) && !isMadeUp
}

/** A UUID of version 4 or 7 (RFC 9562). Those of other versions tell or repeat what they were made from. */
const randomUuid = /^[\da-f]{8}-[\da-f]{4}-[47][\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/

/** UUIDs of version 4 and 7 in standards, documentation and what models write when they are asked for one. */
const published: ReadonlySet<string> = new Set([
  exampleKey,
  '017f22e2-79b0-7cc3-98c4-dc0c0c07398f',
  '109156be-c4fb-41ea-b1b4-efe1671c5836',
  '110ec58a-a0f4-4ac4-8393-c866d813b8d1',
  '12345678-1234-4123-8123-123456789012',
  '12345678-1234-4123-8123-123456789abc',
  '12345678-1234-4234-8234-123456789012',
  '12345678-1234-4321-8765-123456789abc',
  '123e4567-e89b-42d3-a456-426614174000',
  '16fd2706-8baf-433b-82eb-8c7fada847da',
  '1b9d6bcd-bbfd-4b2d-9b5d-ab8dfbbd4bed',
  '36b8f84d-df4e-4d49-b662-bcde71a8764f',
  '3fa85f64-5717-4562-b3fc-2c963f66afa6',
  '550e8400-e29b-41d4-a716-446655440000',
  '6ec0bd7f-11c0-43da-975e-2a8ad9ebae0b',
  '7c9e6679-7425-40de-944b-e07fc1f90ae7',
  '919108f7-52d1-4320-9bac-f847db4148a8',
  '9b1deb4d-3b7d-4bad-9bdd-2b0d7b3dcb6d',
  'a1b2c3d4-e5f6-4789-abcd-ef1234567890',
  'a1b2c3d4-e5f6-4a7b-8c9d-0e1f2a3b4c5d',
  'a1b2c3d4-e5f6-7890-abcd-ef1234567890',
  'f47ac10b-58cc-4372-a567-0e02b2c3d479',
])

export function keyProblem(field: string): Problem {
  return { field, problem: `must be a text of ${min} to ${max} characters`, example: exampleKey }
}
