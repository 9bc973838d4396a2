/** The reference of a lead: short and speakable, `C-7K3QM-4X92P`. */
import { randomInt } from 'node:crypto'
import { referencePattern } from '../../contract/receipt.ts'
import { minuteMs } from '../../time.ts'

/** Crockford's base 32, without I, L, O and U: as in `referencePattern`. */
const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'

/**
 * Five characters stand for the minute, so that the index of references grows at one place and stays
 * cheap. Five are random. The minutes start over every 64 years, next in 2033: new entries then no
 * longer sort last, but references stay unique, since the column is.
 */
export function newReference(atMs: number): string {
  return `C-${fiveDigits(Math.floor(atMs / minuteMs))}-${fiveDigits(randomInt(32 ** 5))}`
}

/** Writes the last 25 bits of the number as five characters. */
function fiveDigits(number: number): string {
  return [20, 15, 10, 5, 0].map((shift) => alphabet[(number >> shift) & 31]).join('')
}

/** Ignores case, hyphens and blanks; reads O as 0, I and L as 1. Returns `undefined` if the text is no reference. */
export function readReference(text: string): string | undefined {
  const plain = text
    .toUpperCase()
    .replace(/^\s*C[-\s]/, '')
    .replaceAll(/[-\s]/g, '')
    .replaceAll('O', '0')
    .replaceAll(/[IL]/g, '1')
  // The length tells whether a first C is the prefix or a character of the reference.
  const said = plain.length === 11 ? plain.replace(/^C/, '') : plain
  const reference = `C-${said.slice(0, 5)}-${said.slice(5)}`
  return isReference.test(reference) ? reference : undefined
}

const isReference = new RegExp(referencePattern)
