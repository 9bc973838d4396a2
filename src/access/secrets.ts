/** Random secrets, and what the database keeps of them: never a secret itself. */
import { createHash, createHmac, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto'

/** 256 bits, as base64url. */
export function newSecret(): string {
  return randomBytes(32).toString('base64url')
}

/** For secrets that nobody can guess. */
export function hashOf(secret: string): string {
  return createHash('sha256').update(secret).digest('base64url')
}

export function isSame(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)]
  return a.length === b.length && timingSafeEqual(a, b)
}

/** For what could be guessed, as a short code. */
export class KeyedHash {
  readonly #key: Buffer

  constructor(secret: Buffer, purpose: string) {
    this.#key = Buffer.from(hkdfSync('sha256', secret, '', purpose, 32))
  }

  of(text: string): string {
    return createHmac('sha256', this.#key).update(text).digest('base64url')
  }
}
