/** Names for a lead: an id that sorts by time, and a reference that can be said over the phone. */
import { randomFillSync } from 'node:crypto'

/** UUID version 7 (RFC 9562, 5.7). Within a millisecond the 12 bits after the version count up. */
export function createIds(): (nowMs: number) => string {
  let lastMs = 0
  let count = 0
  let time = ''
  return (nowMs) => {
    if (nowMs > lastMs) startOf(nowMs)
    // A full millisecond, or a clock set back: go on from where we were.
    else if (++count > 0xfff) startOf(lastMs + 1)
    const random = randomHex()
    const variant = '89ab'[random.charCodeAt(0) & 3]
    const counted = (0x7000 + count).toString(16)
    return `${time}-${counted}-${variant}${random.slice(1, 4)}-${random.slice(4)}`
  }

  function startOf(ms: number): void {
    lastMs = ms
    count = 0
    const hex = ms.toString(16).padStart(12, '0')
    time = `${hex.slice(0, 8)}-${hex.slice(8)}`
  }
}

/** Without vowels, so that it spells nothing, and without signs that look alike. */
const alphabet = '23456789BCDFGHJKMNPQRSTVWXYZ'

export function newReference(): { short: string; long: string } {
  if (used + 8 > pool.length) refill()
  let letters = ''
  const end = used + 8
  for (; used < end; used += 1) letters += alphabet[pool[used]! % alphabet.length]
  return { short: `C-${letters.slice(0, 5)}`, long: `C-${letters}` }
}

/** Randomness is fetched by the page: one call for each id would cost more than the rest of it. */
const pool = Buffer.alloc(4096)
let used = pool.length

function refill(): void {
  randomFillSync(pool)
  used = 0
}

/** 64 bits. */
function randomHex(): string {
  if (used + 8 > pool.length) refill()
  used += 8
  return pool.toString('hex', used - 8, used)
}
