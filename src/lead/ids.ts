/** Names for a lead: an id that sorts by time, and a reference that can be said over the phone. */
import { randomFillSync } from 'node:crypto'

/** UUID version 7 (RFC 9562, 5.7). Within a millisecond the 12 bits after the version count up. */
export function createIds(): (nowMs: number) => string {
  let lastMs = 0
  let count = 0
  return (nowMs) => {
    if (nowMs > lastMs) {
      lastMs = nowMs
      count = 0
    } else if (++count > 0xfff) {
      // A full millisecond, or a clock set back: go on from where we were.
      lastMs += 1
      count = 0
    }
    const time = lastMs.toString(16).padStart(12, '0')
    const random = randomBytes(8)
    const variant = ((random[0]! & 0x3f) | 0x80).toString(16)
    const tail = random.toString('hex', 1)
    return `${time.slice(0, 8)}-${time.slice(8)}-7${count.toString(16).padStart(3, '0')}-${variant}${tail.slice(0, 2)}-${tail.slice(2)}`
  }
}

/** Without vowels, so that it spells nothing, and without signs that look alike. */
const alphabet = '23456789BCDFGHJKMNPQRSTVWXYZ'

export function newReference(): { short: string; long: string } {
  const random = randomBytes(8)
  let letters = ''
  for (let index = 0; index < 8; index += 1) letters += alphabet[random[index]! % alphabet.length]
  return { short: `C-${letters.slice(0, 5)}`, long: `C-${letters}` }
}

/** Randomness is fetched by the page: one call for each id would cost more than the rest of it. */
const pool = Buffer.alloc(4096)
let used = pool.length

function randomBytes(length: number): Buffer {
  if (used + length > pool.length) {
    randomFillSync(pool)
    used = 0
  }
  used += length
  return pool.subarray(used - length, used)
}
