/**
 * References of six characters, as they were given to senders at first. They find their leads still.
 * They hold the minute of arrival (20 bits, which repeat after two years) and ten bits of the id.
 */
import { minuteMs } from '../durations.ts'
import { alphabet, digitCode } from './base-32.ts'
import { spansOfCycles, timeOf } from './id-time.ts'
import type { IdSpan } from './id-time.ts'

const minutes = 2 ** 20
const mask = 2 ** 30 - 1

/** Odd, so that multiplying by it modulo 2^30 has an inverse. */
const mixer = 0x2545_f491 & mask
const unmixer = inverse(mixer)

export function isMinuteReference(reference: string): boolean {
  return /^C-[0-9A-HJKMNP-TV-Z]{6}$/.test(reference)
}

export function minuteReferenceOf(leadId: string): string {
  const minute = Math.floor(timeOf(leadId) / minuteMs) % minutes
  const tail = Number.parseInt(leadId.slice(-3), 16) & 1023
  const mixed = Math.imul(minute * 1024 + tail, mixer) & mask
  const digits = [5, 4, 3, 2, 1, 0].map((place) => digitCode(mixed, place))
  return `C-${String.fromCharCode(...digits)}`
}

export function minuteSpansOf(reference: string): IdSpan[] {
  let mixed = 0
  for (const letter of reference.slice(2)) mixed = mixed * 32 + alphabet.indexOf(letter)
  const minute = (Math.imul(mixed, unmixer) & mask) >> 10
  return spansOfCycles(minutes * minuteMs, minute * minuteMs, minuteMs)
}

/** Newton's iteration doubles the correct bits each time: 3, 6, 12, 24, 48. */
function inverse(odd: number): number {
  let found = odd
  for (let step = 0; step < 5; step += 1) found = Math.imul(found, 2 - Math.imul(odd, found))
  return found & mask
}
