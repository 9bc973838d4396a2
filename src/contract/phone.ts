/** Reads phone numbers out of text such as "0491 570 006 after 5pm" or "(02) 5550 7788 ext 4". */

export type Phone = {
  /** The digits, in the national form if the number is Australian, else as they were typed. */
  digits: string
  /** The number to dial from an Australian phone; `undefined` if the digits are not a complete number. */
  dialled: string | undefined
  extension: string
  /** False for a foreign number, because its kind is unknown. */
  isMobile: boolean
}

// Matching takes linear time: every repetition is bounded, or can match a text in only one way.
const signs = String.raw`\s().\-\u2010-\u2015`
const gap = `[${signs}]{0,3}`
const digitsLeft = (count: number) => String.raw`(?:${gap}\d){${count}}(?!\d)`
const national = `(?:0${gap}[2-9]${digitsLeft(8)}|1[38]00${digitsLeft(6)})`
const withCountry = String.raw`(?:\+|00(?:11)?)?${gap}61${gap}0?${gap}[2-9]${digitsLeft(8)}`
/** Further groups of digits, up to another phone number or a time such as "5.30pm". */
const groups = (between: string) =>
  String.raw`(?:${between}{1,3}(?!${national}|\d{1,2}(?:\.\d\d)?\s?[ap]\.?m|\d{1,2}:)\d+)*`
const international = String.raw`(?:\+|00)${gap}\d(?:[${signs}/]{0,3}\d){6}\d*${groups(`[${signs}/]`)}`
const other = String.raw`\d+${groups(`[${signs}]`)}`
const extension = String.raw`\s{0,3}[,;(]?\s{0,3}(?:ext(?:n|ension)?|x|#)[.:]?\s{0,3}(\d{1,6})(?!\d)`

const numbers = new RegExp(
  `(${withCountry}|${international}|${national}|${other})(?:${extension})?`,
  'gi',
)

/** Also returns numbers that are not complete. */
export function readPhones(text: string): Phone[] {
  // Most people type one national number; the long pattern would take ten times as long for it.
  const digits = text.replaceAll(/[\s()-]/g, '')
  if (isWholeNumber(digits)) return [toPhone([text, text, ''])]
  return [...text.matchAll(numbers)].map(toPhone)
}

function toPhone([, written = '', extended = '']: readonly string[]): Phone {
  const isAbroad = /^(?:\+|00)/.test(written)
  const typed = (isAbroad ? written.replace('(0)', '') : written).replaceAll(/\D/g, '')
  // A spreadsheet turns 0491 570 006 into 491570006.
  const isCut = !isAbroad && /^4\d{8}$/.test(typed)
  const digits = isCut ? `0${typed}` : toNational(typed)
  const dialled = toDialled({ typed, digits, isAbroad })
  return {
    digits,
    dialled: canDial.test(dialled) ? dialled : undefined,
    extension: extended,
    isMobile: /^04\d{8}$/.test(digits),
  }
}

function toDialled(number: { typed: string; digits: string; isAbroad: boolean }): string {
  const { typed, digits, isAbroad } = number
  const isAustralian = digits !== typed
  if (isAustralian) return `+61${digits.slice(1)}`
  return isAbroad ? `+${typed.replace(/^00(?:11)?/, '')}` : digits
}

const canDial = /^(?:\+[1-9]\d{6,14}|0[2-9]\d{8}|[2-9]\d{7}|13\d{4}|1[38]00\d{6})$/

/** Turns +61 491 570 006, 0011 61 491 570 006 and 61 (0)491 570 006 into 0491 570 006. */
export function toNational(digits: string): string {
  return digits.replace(/^(?:00(?:11)?)?610?(?=[2-9]\d{8}$)/, '0')
}

export function isWholeNumber(digits: string): boolean {
  return /^0[2-9]\d{8}$/.test(digits)
}
