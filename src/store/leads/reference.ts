/** A reference is short and easy to say: `C-7K3QM-4X92P`. */
import { randomInt } from 'node:crypto'
import { referencePattern } from '../../contract/receipt.ts'
import { minuteMs } from '../../time.ts'

/** Crockford's base 32, which has no I, L, O and U. `referencePattern` allows the same characters. */
const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'

/**
 * The first five characters stand for the minute, so that new references sort last and the index
 * stays cheap. The minutes start over in 2033. References stay unique, because the index is unique.
 */
export function newReference(atMs: number): string {
  return `C-${fiveDigits(Math.floor(atMs / minuteMs))}-${fiveDigits(randomInt(32 ** 5))}`
}

function fiveDigits(number: number): string {
  return [20, 15, 10, 5, 0].map((shift) => alphabet[(number >> shift) & 31]).join('')
}

export function readReference(text: string): string | undefined {
  const plain = text
    .toUpperCase()
    .replace(/^\s*C[-\s]/, '')
    .replaceAll(/[-\s]/g, '')
    .replaceAll('O', '0')
    .replaceAll(/[IL]/g, '1')
  // If there are 11 characters, the first C is the prefix. Otherwise it belongs to the reference.
  const said = plain.length === 11 ? plain.replace(/^C/, '') : plain
  const reference = `C-${said.slice(0, 5)}-${said.slice(5)}`
  return isReference.test(reference) ? reference : undefined
}

const isReference = new RegExp(referencePattern)
