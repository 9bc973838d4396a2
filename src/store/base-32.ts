/** Crockford's base 32, without I, L, O and U: as in `referencePattern`. */
export const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'

const codes = Uint8Array.from(alphabet, (digit) => digit.charCodeAt(0))

/**
 * The character code of a digit; `place` 0 is the last one. Making a text of all codes at once takes
 * half as long as joining texts.
 */
export function digitCode(number: number, place: number): number {
  return codes[(number >> (5 * place)) & 31]!
}
