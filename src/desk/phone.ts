/** Phone numbers as digits, however they are written. */

/** Digits with what people put between them. */
const spelled = /\d[\d\s().\-/\u2010-\u2015]*\d/g

/** The numbers in a text with at least as many digits, in their national form. */
export function readNumbers(text: string, fewestDigits: number): string[] {
  return Array.from(text.matchAll(spelled), ([run]) => run.replaceAll(/\D/g, ''))
    .filter((digits) => digits.length >= fewestDigits)
    .map(toNational)
}

/** +61 491 570 006, 0061 491 570 006 and 61 (0)491 570 006 are 0491 570 006. */
function toNational(digits: string): string {
  return digits.replace(/^(?:00)?610?(?=[2-9]\d{8}$)/, '0')
}

/** The same for the start of a number, which may begin with 61 without meaning the country. */
export function toNationalStart(digits: string): string {
  return digits.replace(/^(?:00)?610?(?=[2-9]\d{0,8}$)/, '0')
}

/** In its national form, with the area code. */
export function isWholeNumber(digits: string): boolean {
  return /^0[2-9]\d{8}$/.test(digits)
}
