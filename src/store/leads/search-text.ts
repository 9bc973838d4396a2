/** Makes the text that the search looks through: plain words of a lead, with a blank before each. */
import { fieldKeys, type FieldValues } from '../../contract/fields.ts'

type SearchedLead = {
  reference: string
  values: FieldValues
  unlisted: string
  visitPlace?: string | undefined
  secondPhone?: string | undefined
  street?: string | undefined
}

/** Characters of the message and the unlisted fields that are found. */
const mostSent = 2_000
/** Characters of all other fields and of notes that are found. */
const mostOwn = 20_000

const shortFields = fieldKeys.filter((key) => key !== 'message' && key !== 'phone')

/** `notes`: what the owner wrote, oldest first. */
export function searchTextOf(lead: SearchedLead, notes: readonly string[] = []): string {
  const { reference, values, unlisted, visitPlace = '', secondPhone = '', street = '' } = lead
  const facts = [reference, reference.replaceAll('-', ''), ...shortFields.map((key) => values[key])]
  const own = [...facts, visitPlace, secondPhone, street, ...notes.toReversed()]
    .join('\n')
    .slice(0, mostOwn)
  // In JSON a line break is \n, whose n would otherwise become part of the next word.
  const more = unlisted === '' ? '' : `\n${unlisted.replaceAll(/\\[nt]/g, ' ')}`
  const sent = (values.message + more).slice(0, mostSent)
  const phones = [digitsOf(values.phone), ...numbersIn(`${own}\n${sent}`)]
  const plain = [toPlain(values.phone), toPlain(own), cutPlain(sent, mostSent)]
  return ` ${phones.join(' ')} ${plain.join(' ')}`
}

const isAscii = /^[\0-\x7f]*$/
const apostrophes = /['’ʼ]/g
const marks = /\p{M}+/gu
const separators = /[^\p{L}\p{N}]+/gu

/** Letters that `normalize` leaves as they are, and what people type for them. */
const typedFor: Readonly<Record<string, string>> = {
  ł: 'l',
  ø: 'o',
  đ: 'd',
  ð: 'd',
  ı: 'i',
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  þ: 'th',
}
const untyped = new RegExp(`[${Object.keys(typedFor).join('')}]`, 'g')

/** Lower case, without accents and apostrophes, with one blank between words. */
export function toPlain(text: string): string {
  return cutPlain(text, mostOwn)
}

function cutPlain(text: string, most: number): string {
  const bare = isAscii.test(text) ? text.toLowerCase() : toTyped(text).slice(0, most)
  return bare.replaceAll(apostrophes, '').replaceAll(separators, ' ').trim()
}

/**
 * Removes accents twice: `normalize` is slow for many in a row, and splits more off letters. The
 * result may be many times as long: one sign can stand for a sentence.
 */
function toTyped(text: string): string {
  return text
    .replaceAll(marks, '')
    .normalize('NFKD')
    .replaceAll(marks, '')
    .toLowerCase()
    .replaceAll(untyped, (letter) => typedFor[letter]!)
}

/** At least eight digits, with at most three signs between two of them. */
const numbers = /\d(?:[\s()./\-\u2010-\u2015]{0,3}\d){7,}/g

/** Phone numbers in a text, without what people write between the digits. */
function numbersIn(text: string): string[] {
  return text.match(numbers)?.map(digitsOf) ?? []
}

/** The search leaves out the country code and the 0, so that it does not matter who wrote which. */
function digitsOf(written: string): string {
  return written.normalize('NFKC').replace('(0)', '').replaceAll(/\D/g, '')
}
