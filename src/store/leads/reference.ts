/** A reference is short and easy to say: `C-7K3QM-4X92P`. */
import { randomInt } from 'node:crypto'
import { referencePattern } from '../../contract/receipt.ts'
import { minuteMs } from '../../time.ts'

/** Crockford's base 32, which has no I, L, O and U; `referencePattern` must allow the same. */
const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'

/** The first part stands for the minute, so that new references sort last and the index stays cheap. */
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
  // A reference has 10 characters, so a C before 10 others is the prefix.
  const said = plain.length === 11 ? plain.replace(/^C/, '') : plain
  const reference = `C-${said.slice(0, 5)}-${said.slice(5)}`
  return isReference.test(reference) ? reference : undefined
}

const isReference = new RegExp(referencePattern)
