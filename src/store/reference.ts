/**
 * The reference of a lead: short, speakable, and computed from its id, so that it needs no index.
 * It encodes the minute of arrival (20 bits, which wrap every two years) and ten random bits of the
 * id, mixed so that neighbours look different.
 */
import { referencePattern } from '../contract/receipt.ts'
import { minuteMs } from '../durations.ts'

/** As in `referencePattern`. */
const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
const pairs = Array.from({ length: 1024 }, (_, n) => alphabet[n >> 5]! + alphabet[n & 31]!)
const minutes = 2 ** 20
const mask = 2 ** 30 - 1

/** Odd, so that multiplying by it modulo 2^30 has an inverse. */
const mixer = 0x2545_f491 & mask
const unmixer = inverse(mixer)

export function referenceOf(leadId: string): string {
  return toReference(timeOf(leadId), Number.parseInt(leadId.slice(-3), 16))
}

/** `tail`: the last three hexadecimal digits of the id. */
export function toReference(timeMs: number, tail: number): string {
  const minute = Math.floor(timeMs / minuteMs) % minutes
  const mixed = Math.imul(minute * 1024 + (tail & 1023), mixer) & mask
  return `C-${pairs[mixed >> 20]}${pairs[(mixed >> 10) & 1023]}${pairs[mixed & 1023]}`
}

/** Accepts small letters, O for 0, I and L for 1, and no `C-`. `undefined`: not a reference. */
export function readReference(text: string): string | undefined {
  const plain = text
    .trim()
    .toUpperCase()
    .replace(/^C[-\s]?/, '')
  const letters = plain.replaceAll('O', '0').replaceAll(/[IL]/g, '1')
  const reference = `C-${letters}`
  return isReference.test(reference) ? reference : undefined
}

const isReference = new RegExp(referencePattern)

/** The ranges of ids that a reference may stand for: one for each time the minutes wrap. */
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

/** The milliseconds at the start of a UUID version 7. */
export function timeOf(leadId: string): number {
  return Number.parseInt(leadId.slice(0, 8) + leadId.slice(9, 13), 16)
}

export function toIdStart(timeMs: number): string {
  const hex = timeMs.toString(16).padStart(12, '0')
  return `${hex.slice(0, 8)}-${hex.slice(8)}`
}

/** Newton's iteration doubles the correct bits each time: 3, 6, 12, 24, 48. */
function inverse(odd: number): number {
  let found = odd
  for (let step = 0; step < 5; step += 1) found = Math.imul(found, 2 - Math.imul(odd, found))
  return found & mask
}
