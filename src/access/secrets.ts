/** Random secrets, and what the database keeps of them: never a secret itself. */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'

/** 256 bits, as base64url. */
export function newSecret(): string {
  return randomBytes(32).toString('base64url')
}

/** Only of secrets that nobody can guess. */
export function hashOf(secret: string): string {
  return createHash('sha256').update(secret).digest('base64url')
}

export function isSame(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)]
  return a.length === b.length && timingSafeEqual(a, b)
}
