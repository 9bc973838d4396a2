/**
 * The reference of a lead: short, speakable, and computed from its id, so that it needs no index of
 * its own. It tells the minute the lead came in (20 bits, so it comes round every two years) and
 * ten random bits of the id, mixed so that neighbours look nothing alike.
 */

/** Crockford's base 32: no I, L, O or U. */
const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
const pairs = Array.from({ length: 1024 }, (_, n) => alphabet[n >> 5]! + alphabet[n & 31]!)
const minuteMs = 60_000
const minutes = 2 ** 20
const mask = 2 ** 30 - 1

/** Odd, so that multiplying by it modulo 2^30 can be undone by multiplying with its inverse. */
const mixer = 0x2545_f491 & mask
const unmixer = inverse(mixer)

export function referenceOf(leadId: string): string {
  return toReference(timeOf(leadId), Number.parseInt(leadId.slice(-3), 16))
}

/** From the two parts of an id that matter. */
export function toReference(timeMs: number, tail: number): string {
  const minute = Math.floor(timeMs / minuteMs) % minutes
  const mixed = Math.imul(minute * 1024 + (tail & 1023), mixer) & mask
  return `C-${pairs[mixed >> 20]}${pairs[(mixed >> 10) & 1023]}${pairs[mixed & 1023]}`
}

/** As it is said over the phone or typed in a hurry; `undefined`: not a reference. */
export function readReference(text: string): string | undefined {
  const plain = text
    .trim()
    .toUpperCase()
    .replace(/^C[-\s]?/, '')
  const letters = plain.replaceAll('O', '0').replaceAll(/[IL]/g, '1')
  return /^[0-9A-HJKMNP-TV-Z]{6}$/.test(letters) ? `C-${letters}` : undefined
}

/** The spans of ids that a reference may mean: one for each time it comes round. */
export function idSpansOf(reference: string): { from: string; before: string }[] {
  let mixed = 0
  for (const letter of reference.slice(2)) mixed = mixed * 32 + alphabet.indexOf(letter)
  const minute = (Math.imul(mixed, unmixer) & mask) >> 10
  const spans = []
  for (let round = rounds.first; round <= rounds.last; round += 1) {
    const startMs = (round * minutes + minute) * minuteMs
    spans.push({ from: toIdStart(startMs), before: toIdStart(startMs + minuteMs) })
  }
  return spans
}

/** From the year 2023 to 2066. */
const rounds = { first: 27, last: 48 }

/** The milliseconds that a UUID of version 7 begins with. */
export function timeOf(leadId: string): number {
  return Number.parseInt(leadId.slice(0, 8) + leadId.slice(9, 13), 16)
}

export function toIdStart(timeMs: number): string {
  const hex = timeMs.toString(16).padStart(12, '0')
  return `${hex.slice(0, 8)}-${hex.slice(8)}`
}

/** Newton's iteration doubles the right bits each time: 3, 6, 12, 24, 48. */
function inverse(odd: number): number {
  let found = odd
  for (let step = 0; step < 5; step += 1) found = Math.imul(found, 2 - Math.imul(odd, found))
  return found & mask
}
