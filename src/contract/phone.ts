/**
 * Reads phone numbers out of text such as "0491 570 006 after 5pm" or "(02) 5550 7788 ext 4".
 * libphonenumber-js knows the numbers of each country; two numbers in one text, hours behind a number,
 * an extension and signs that look like digits are read here.
 */
import { createRequire } from 'node:module'
import type * as Core from 'libphonenumber-js/core'
import type * as Library from 'libphonenumber-js/max'
import { countryCodes, countryOf, isKnownCountry } from './country.ts'

export type Phone = {
  /** The digits by which a person is known: in the national form if it can be told, else as typed. */
  digits: string
  /** All spellings of a complete number have the same one: the national form, or the country code and the number. */
  same: string
  /** The number to dial from a phone of the country; `undefined` if the digits are not a complete number. */
  dialled: string | undefined
  extension: string
  /** Where its last digit ends in the text. */
  end: number
  /** False for a landline; true where nobody can tell, as in the United States. */
  takesTexts: boolean
  /** The number in groups, as people of the country read it aloud; '' for other numbers. */
  grouped: string
}

/** A process serves one business, so its country is set once, when the content has been read. */
export function readNumbersOf(code: string): void {
  country = code
}

let country = 'AU'

/** Numbers of GB can be read, but none of UK, which is no country's code. */
export function isCountry(code: string): boolean {
  return isKnownCountry(code) || loadLibrary().isSupportedCountry(code)
}

/** The country whose numbers begin as this one; `undefined` if it may be a number of `code`, or is of none. */
export function foreignCountryOf(text: string, code: string): string | undefined {
  const { parsePhoneNumberFromString: parse, isSupportedCountry } = loadLibrary()
  if (!isSupportedCountry(code)) return undefined
  const own = parse(text, code)
  if (own?.isValid()) {
    const callingCode = loadLibrary().getCountryCallingCode(code)
    return own.countryCallingCode === callingCode ? undefined : own.country
  }
  return countryCodes.find((each) => isSupportedCountry(each) && parse(text, each)?.isValid())
}

/** Longer texts hold no number that somebody would look for. */
const longestRead = 250

/** Also returns numbers that are not complete. */
export function readPhones(text: string): Phone[] {
  const typed = text.slice(0, longestRead)
  return readNumbers(isPlain.test(typed) ? typed : toDigits(typed))
}

/** Reads the text just as it was typed, and then with blanks in place of all other signs. */
export function readTwice(text: string): Phone[] {
  const typed = text.slice(0, longestRead)
  if (isPlain.test(typed)) return readNumbers(typed)
  const plain = toDigits(typed.normalize('NFKC')).replaceAll(separators, ' ')
  return [...readNumbers(typed), ...readNumbers(plain)]
}

const isPlain = /^[\d\s+]*$/
const unseen = /[\p{M}\p{Default_Ignorable_Code_Point}]/gu
/** Arabic, Persian and Hindi digits, and those of full width. */
const otherDigits = /[\u0660-\u0669\u06f0-\u06f9\u0966-\u096f\uff10-\uff19]/g
const separators = /[^\p{L}\p{N}+]+/gu
const withLetterO = /(?<![\p{L}\p{N}])[\dO]*\d[\dO]*(?![\p{L}\p{N}])/giu

/** Writes what looks like a digit as one: digits of other scripts, and O for 0. */
function toDigits(text: string): string {
  return text
    .replaceAll(unseen, '')
    .replaceAll('\uff0b', '+')
    .replaceAll(otherDigits, (digit) => {
      const isHindi = digit >= '\u0966' && digit <= '\u096f'
      return String((digit.charCodeAt(0) - (isHindi ? 6 : 0)) & 15)
    })
    .replaceAll(withLetterO, (digits) => digits.replaceAll(/o/gi, '0'))
}

/** Digits that stand together. `isAbroad`: with a + or 00 before them. */
type Group = { digits: string; start: number; end: number; isAbroad: boolean }

const sign = String.raw`[\s().\-\u2010-\u2015]`
const joins = new RegExp(`^${sign}{1,3}$`)
const joinsAbroad = new RegExp(`^(?:${sign}|/){1,3}$`)
const plusBefore = new RegExp(String.raw`\+${sign}{0,3}$`)
/** "5.30pm" or "17:00" behind a number is no part of it. */
const time = /^\d{1,2}(?:(?:\.\d\d)?\s?[ap]\.?m|:)/i
const extension = /^\s{0,3}[,;(]?\s{0,3}(?:ext(?:n|ension)?|x|#)[.:]?\s{0,3}(\d{1,6})(?!\d)/i

function readNumbers(text: string): Phone[] {
  const phones: Phone[] = []
  let groups = groupsIn(text)
  while (groups.length > 0) {
    const number = firstNumber(groups, text)
    const end = groups[number.groups - 1]!.end
    const [whole = '', extended = ''] = extension.exec(text.slice(end)) ?? []
    phones.push({ ...number.phone, extension: extended, end })
    groups = groups.slice(number.groups).filter(({ start }) => start >= end + whole.length)
  }
  return phones
}

function groupsIn(text: string): Group[] {
  // "+61 (0)491 570 006": the 0 is left out behind a country code.
  const plain = text.replaceAll('(0)', '   ')
  return [...plain.matchAll(/\d+/g)].map(({ 0: digits, index: start }) => ({
    digits,
    start,
    end: start + digits.length,
    isAbroad:
      plusBefore.test(plain.slice(Math.max(0, start - 4), start)) || digits.startsWith('00'),
  }))
}

type Read = Omit<Phone, 'extension' | 'end'>

/** The longest complete number that the groups begin with, else all digits up to the next one. */
function firstNumber(groups: readonly Group[], text: string): { phone: Read; groups: number } {
  const whole = completeNumber(groups, text)
  if (whole !== undefined) return whole
  const reach = reachOf(groups, text)
  const ends = groups.slice(0, reach).findIndex(({ digits }, index) => {
    // A digit that stands alone begins no second number.
    if (index === 0 || digits.length === 1) return false
    return completeNumber(groups.slice(index), text) !== undefined
  })
  const taken = ends < 0 ? reach : ends
  return { phone: readIncomplete(typedIn(groups, taken)), groups: taken }
}

function completeNumber(groups: readonly Group[], text: string) {
  for (let count = reachOf(groups, text); count > 0; count--) {
    const phone = readComplete(typedIn(groups, count))
    if (phone !== undefined) return { phone, groups: count }
  }
  return undefined
}

/** How many groups may be one number. */
function reachOf(groups: readonly Group[], text: string): number {
  const joined = groups[0]!.isAbroad ? joinsAbroad : joins
  const end = groups.findIndex((group, index) => {
    if (index === 0) return false
    const between = text.slice(groups[index - 1]!.end, group.start)
    return !joined.test(between.replace('(0)', ' ')) || time.test(text.slice(group.start))
  })
  return end < 0 ? groups.length : end
}

/** What was typed, with a + for a number with a country code. */
type TypedNumber = { digits: string; isAbroad: boolean }

function typedIn(groups: readonly Group[], count: number): TypedNumber {
  const digits = groups.slice(0, count).map((group) => group.digits)
  return { digits: digits.join(''), isAbroad: groups[0]!.isAbroad }
}

/** The fewest and the most digits of a number, with 0011 before it. */
const [fewest, most] = [5, 19]

function readComplete(typed: TypedNumber): Read | undefined {
  const { length } = typed.digits
  if (length < fewest || length > most) return undefined
  const { remembered } = home()
  const words = (typed.isAbroad ? '+' : '') + typed.digits
  if (!remembered.has(words)) {
    if (remembered.size >= mostRemembered) remembered.clear()
    remembered.set(words, readAnew(typed))
  }
  return remembered.get(words)
}

/** A page asks several times for each of its numbers. */
const mostRemembered = 500

function readAnew(typed: TypedNumber): Read | undefined {
  const parsed = parseTyped(typed)
  if (parsed === undefined) return undefined
  const { number, type } = parsed
  if (number.countryCallingCode !== home().callingCode) {
    return type && readForeign(typed, number, type)
  }
  return type || isLikely(typed, number) ? readNational(typed, number, type) : undefined
}

type Number = Library.PhoneNumber
type Type = Library.PhoneNumberType
/** A number without a type is not given out. */
type Parsed = { number: Number; type: Type | undefined }

function parseTyped({ digits, isAbroad }: TypedNumber): Parsed | undefined {
  if (isAbroad) return home().parse(`+${digits.replace(/^00(?:11)?/, '')}`)
  const { callingCode, trunk, example } = home()
  // "61 491 570 006", also before a 0.
  const rest = digits.startsWith(callingCode) ? digits.slice(callingCode.length) : ''
  const isWithCode = [example, trunk + example].some(({ length }) => length === rest.length)
  return home().parse(isWithCode && rest !== '' ? `+${digits}` : digits)
}

/** Numbers that are not given out yet, or are kept for films, have the length of a mobile number. */
function isLikely({ digits, isAbroad }: TypedNumber, { nationalNumber }: Number): boolean {
  if (nationalNumber.length !== home().example.length) return false
  return isAbroad || digits !== nationalNumber || home().trunk === ''
}

/** In the United States and Canada nobody can tell a mobile. */
const textTypes: readonly (Type | undefined)[] = ['MOBILE', 'FIXED_LINE_OR_MOBILE']

function readNational({ digits }: TypedNumber, number: Number, type: Type | undefined): Read {
  const { nationalNumber } = number
  const formatted = number.formatNational()
  const plain = formatted.replaceAll(/\D/g, '')
  const national = type ? plain : home().trunk + nationalNumber
  const mayBeMobile = type === undefined && nationalNumber[0] === home().example[0]
  const isMobile = mayBeMobile || textTypes.includes(type)
  // A landline without its 0, and +61 before 1300, have been keyed by the digits as typed.
  const isKnown = national.length > nationalNumber.length && (digits !== nationalNumber || isMobile)
  return {
    digits: isKnown || home().trunk === '' ? national : digits,
    same: national,
    dialled: national === digits ? national : number.number,
    takesTexts: isMobile,
    grouped: plain === national ? groupedAs(formatted) : '',
  }
}

/** "02 5550 0100": without the brackets of the area. What has no groups, such as 13 11 14, stays as typed. */
function groupedAs(formatted: string): string {
  const words = formatted.replace(/^\((0\d*)\)/, '$1')
  return /^\d+$/.test(words) ? '' : words
}

function readForeign({ digits }: TypedNumber, number: Number, type: Type): Read {
  return {
    digits,
    same: number.number.slice(1),
    dialled: number.number,
    takesTexts: textTypes.includes(type),
    grouped: '',
  }
}

/** A number without its area can be dialled in some countries, and an unknown one abroad anywhere. */
function readIncomplete({ digits, isAbroad }: TypedNumber): Read {
  const abroad = `+${digits.replace(/^00(?:11)?/, '')}`
  const isAbroadDialled = isAbroad && /^\+[1-9]\d{6,14}$/.test(abroad)
  const isLocal = !isAbroad && digits.length === home().localDigits && /^[2-9]/.test(digits)
  const dialled = isAbroadDialled ? abroad : digits
  return {
    digits,
    same: digits,
    dialled: isAbroadDialled || isLocal ? dialled : undefined,
    takesTexts: false,
    grouped: '',
  }
}

/** "Australian numbers have 10", for somebody who has typed a number that nobody can ring. */
export function digitsExpected(): string {
  return countryOf(country).numbersHave ?? 'which may be too few or too many'
}

/** A member may type the country code, 0 or nothing before the same digits. */
export function withoutPrefix(digits: string): string {
  const code = String.raw`(?:00(?:11)?)?${home().callingCode}0?`
  const bare = digits.replace(
    new RegExp(`^(?:${code}${home().trunk && `|${home().trunk}`})(?=[1-9])`),
    '',
  )
  return bare.length < fewestSought ? digits : bare
}

const fewestSought = 3

type Home = {
  readonly country: string
  /** Reads nothing but numbers with a + where the library does not know the country. */
  readonly parse: (text: string) => Parsed | undefined
  /** "61" */
  readonly callingCode: string
  /** The digits before a number within the country, such as 0, which are left out behind its code. */
  readonly trunk: string
  /** The digits of a mobile number, without the trunk. */
  readonly example: string
  readonly localDigits: number | undefined
  /** What was read before, by what was typed. */
  readonly remembered: Map<string, Read | undefined>
}

let known: Home | undefined

function home(): Home {
  if (known?.country !== country) known = readHome(country)
  return known
}

const load = createRequire(import.meta.url)

function loadLibrary() {
  return load('libphonenumber-js/max') as typeof Library
}

/** Loaded with the first number, because most commands read none, and it takes a twentieth of a second. */
function readHome(code: string): Home {
  const library = loadLibrary()
  const examples = load('libphonenumber-js/mobile/examples') as Library.Examples
  const { localDigits } = countryOf(code)
  const remembered = new Map<string, Read | undefined>()
  const none = { callingCode: '', trunk: '', example: '', localDigits, remembered }
  if (!library.isSupportedCountry(code)) {
    const parse = (text: string) => withType(library.parsePhoneNumberFromString(text))
    return { ...none, country: code, parse }
  }
  const example = library.getExampleNumber(code, examples)
  const national = example?.formatNational().replaceAll(/\D/g, '') ?? ''
  const digits = example?.nationalNumber ?? ''
  const callingCode = library.getCountryCallingCode(code)
  return {
    country: code,
    parse: parserFor(code, callingCode),
    callingCode,
    trunk: national.slice(0, national.length - digits.length),
    example: digits,
    localDigits,
    remembered,
  }
}

/**
 * Most numbers are of the country itself, so it is tried alone first. Australia shares its code with two islands, and
 * to try all that share a code takes three times as long.
 */
function parserFor(
  code: Library.CountryCode,
  callingCode: Library.CountryCallingCode,
): Home['parse'] {
  const { parsePhoneNumberFromString: parse } = load('libphonenumber-js/core') as typeof Core
  const everywhere = load('libphonenumber-js/max/metadata') as Library.MetadataJson
  // The first country of a code has the formats of all that share it.
  const [first = code] = everywhere.country_calling_codes[callingCode]!
  const own = [...new Set([first, code])]
  const here = { ...everywhere, country_calling_codes: { [callingCode]: own } }
  const options = { defaultCountry: code, extract: false }
  return (text) => {
    const parsed = withType(parse(text, options, here))
    return parsed?.type ? parsed : withType(parse(text, options, everywhere))
  }
}

function withType(number: Number | undefined): Parsed | undefined {
  return number && { number, type: number.getType() }
}
