/** Reads phone numbers in what people write: "0491 570 006 after 5pm", "(02) 5550 7788 ext 4". */

export type Phone = {
  /** In the national form if the number is Australian, else as written. */
  digits: string
  /** What an Australian phone dials; `undefined`: the digits are no whole number. */
  dialled: string | undefined
  /** '' for none. */
  extension: string
  /** Known of Australian numbers only. */
  isMobile: boolean
}

// Every repeat is bounded or begins with another sign than it ends with: the time is linear.
const signs = String.raw`\s().\-\u2010-\u2015`
const gap = `[${signs}]{0,3}`
const digitsLeft = (count: number) => String.raw`(?:${gap}\d){${count}}(?!\d)`
const national = `(?:0${gap}[2-9]${digitsLeft(8)}|1[38]00${digitsLeft(6)})`
const withCountry = String.raw`(?:\+|00(?:11)?)?${gap}61${gap}0?${gap}[2-9]${digitsLeft(8)}`
/** Neither another number nor a time of day, as in "5.30pm", goes on with a number. */
const groups = (between: string) =>
  String.raw`(?:${between}{1,3}(?!${national}|\d{1,2}(?:\.\d\d)?\s?[ap]\.?m|\d{1,2}:)\d+)*`
const international = String.raw`(?:\+|00)${gap}\d(?:[${signs}/]{0,3}\d){6}\d*${groups(`[${signs}/]`)}`
const other = String.raw`\d+${groups(`[${signs}]`)}`
const extension = String.raw`\s{0,3}[,;(]?\s{0,3}(?:ext(?:n|ension)?|x|#)[.:]?\s{0,3}(\d{1,6})(?!\d)`

const numbers = new RegExp(
  `(${withCountry}|${international}|${national}|${other})(?:${extension})?`,
  'gi',
)

/** All runs of digits, in their order; many are no whole number. */
export function readPhones(text: string): Phone[] {
  return [...text.matchAll(numbers)].map(toPhone)
}

function toPhone([, written = '', extended = '']: RegExpExecArray): Phone {
  const isAbroad = /^(?:\+|00)/.test(written)
  const typed = (isAbroad ? written.replace('(0)', '') : written).replaceAll(/\D/g, '')
  const digits = toNational(typed)
  const dialled =
    digits !== typed
      ? `+61${digits.slice(1)}`
      : isAbroad
        ? `+${typed.replace(/^00(?:11)?/, '')}`
        : digits
  return {
    digits,
    dialled: canDial.test(dialled) ? dialled : undefined,
    extension: extended,
    isMobile: /^04\d{8}$/.test(digits),
  }
}

const canDial = /^(?:\+[1-9]\d{6,14}|0[2-9]\d{8}|[2-9]\d{7}|13\d{4}|1[38]00\d{6})$/

/** +61 491 570 006, 0011 61 491 570 006 and 61 (0)491 570 006 are 0491 570 006. */
function toNational(digits: string): string {
  return digits.replace(/^(?:00(?:11)?)?610?(?=[2-9]\d{8}$)/, '0')
}

/** The same for the start of a number, which may begin with 61 without meaning the country. */
export function toNationalStart(digits: string): string {
  return digits.replace(/^(?:00(?:11)?)?610?(?=[2-9]\d{0,8}$)/, '0')
}

/** In its national form, with the area code. */
export function isWholeNumber(digits: string): boolean {
  return /^0[2-9]\d{8}$/.test(digits)
}
