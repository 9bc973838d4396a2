/** Which texts are an idempotency key, and the problem to report for the others. */
import type { Problem } from './check-fields.ts'
import { idempotencyKeyLength } from './limits.ts'

const { min, max } = idempotencyKeyLength

export const exampleKey = '8e03978e-40d5-43dd-bc93-6894a57f9324'

export function isKey(value: unknown): value is string {
  return typeof value === 'string' && value.length >= min && value.length <= max
}

/** `field`: the header or the member of the body that held it. */
export function keyProblem(field: string, characters = 'characters'): Problem {
  return { field, problem: `must be a text of ${min} to ${max} ${characters}`, example: exampleKey }
}
