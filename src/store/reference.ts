/**
 * The reference of a lead: speakable, and computed from its id, so that it needs no index. Ten
 * characters hold the millisecond of arrival (36 bits, which repeat after two years) and the last 14
 * bits of the id, mixed so that neighbours look different. See docs/decisions/0003-receipt-token.md.
 */
import { alphabet, digitCode } from './base-32.ts'
import { spansOfCycles, timeOf } from './id-time.ts'
import type { IdSpan } from './id-time.ts'
import { referencePattern } from '../contract/receipt.ts'

/** How many different values the end of an id gives to references. */
export const tailValues = 2 ** 14
const cycleMs = 2 ** 36
/** Each half of a reference has 25 bits: the upper ones of the time; its other 11 and the tail. */
const half = 2 ** 25
const lowerMs = half / tailValues

const [letterC, hyphen] = [0x43, 0x2d]

export function referenceOf(leadId: string): string {
  return toReference(timeOf(leadId), Number.parseInt(leadId.slice(-4), 16))
}

/** `tail`: the end of the id as a number. */
export function toReference(timeMs: number, tail: number): string {
  const ms = timeMs % cycleMs
  let left = Math.floor(ms / lowerMs)
  let right = (ms % lowerMs) * tailValues + (tail % tailValues)
  // A Feistel network: each step can be undone, whatever `scatter` gives.
  left ^= scatter(right, 1)
  right ^= scatter(left, 2)
  left ^= scatter(right, 3)
  return String.fromCharCode(
    letterC,
    hyphen,
    digitCode(left, 4),
    digitCode(left, 3),
    digitCode(left, 2),
    digitCode(left, 1),
    digitCode(left, 0),
    hyphen,
    digitCode(right, 4),
    digitCode(right, 3),
    digitCode(right, 2),
    digitCode(right, 1),
    digitCode(right, 0),
  )
}

/** Accepts small letters, O for 0, I and L for 1, and any hyphens and blanks. `undefined`: not a reference. */
export function readReference(text: string): string | undefined {
  const plain = text
    .toUpperCase()
    .replace(/^\s*C[-\s]/, '')
    .replaceAll(/[-\s]/g, '')
    .replaceAll('O', '0')
    .replaceAll(/[IL]/g, '1')
  // C is also a letter of the alphabet: the length tells which it is.
  const said = plain.length === 11 ? plain.replace(/^C/, '') : plain
  const reference = `C-${said.slice(0, 5)}-${said.slice(5)}`
  return isReference.test(reference) ? reference : undefined
}

const isReference = new RegExp(referencePattern)

/** The ids that a reference may stand for, and whether it stands for one of them. */
export function namedBy(reference: string): { spans: IdSpan[]; isMeant: (id: string) => boolean } {
  let left = toNumber(reference.slice(2, 7))
  let right = toNumber(reference.slice(8))
  left ^= scatter(right, 3)
  right ^= scatter(left, 2)
  left ^= scatter(right, 1)
  const ms = left * lowerMs + Math.floor(right / tailValues)
  return {
    spans: spansOfCycles(cycleMs, ms, 1),
    isMeant: (id) => referenceOf(id) === reference,
  }
}

/** 25 bits that all bits of `value` change. */
function scatter(value: number, step: number): number {
  const mixed = Math.imul(value ^ (value >>> 13), 0x2545_f491 + 2 * step)
  return (mixed ^ (mixed >>> 15)) & (half - 1)
}

function toNumber(text: string): number {
  let value = 0
  for (const letter of text) value = value * 32 + alphabet.indexOf(letter)
  return value
}
