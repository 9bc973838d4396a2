import { type FieldValues, fieldKeys } from '../../contract/fields.ts'
import { readPhones } from '../../contract/phone.ts'

const mostWords = 1_000
const longestWord = 40
/** A number with fewer digits is indexed and sought as an ordinary word. */
export const fewestDigits = 3
/** Outside the phone field, at least this many digits count as a phone number. */
const wholeNumber = 8

/** The message comes last, because words after the first `mostWords` are left out. */
const inOrder = [...fieldKeys.filter((key) => key !== 'message'), 'message' as const]

export function wordsOf(
  lead: { reference: string; values: FieldValues; unlisted: string },
  notes: readonly string[] = [],
): string[] {
  const words = new Set([
    ...wordsIn(lead.reference.slice(2)),
    ...numbersIn(lead.values.phone, fewestDigits),
  ])
  // In JSON a line break is \n, whose n would otherwise become part of the next word.
  const unlisted = lead.unlisted.replaceAll(/\\[nt]/g, ' ')
  for (const text of [...inOrder.map((key) => lead.values[key]), ...notes, unlisted]) {
    // O'Brien is also found as obrien.
    const found = [...wordsIn(text), ...wordsIn(text.replaceAll(apostrophes, ''))]
    for (const word of [...numbersIn(text, wholeNumber), ...found]) words.add(word)
  }
  return [...words].slice(0, mostWords)
}

const apostrophes = /['’ʼ]/g
const marks = /\p{M}+/gu
const letters = /[\p{L}\p{N}]+/gu

export function wordsIn(text: string): string[] {
  // Removes accents twice: `normalize` is slow for many in a row, and splits more off letters.
  const plain = text.replaceAll(marks, '').normalize('NFKD').toLowerCase().replaceAll(marks, '')
  return (plain.match(letters) ?? []).map(cutWord)
}

/** Makes every suffix a word, so that any part of the number is the start of a word. */
function numbersIn(text: string, shortest: number): string[] {
  return readPhones(text).flatMap(({ digits }) => {
    if (digits.length < shortest) return []
    const last = digits.slice(-longestWord)
    const count = Math.max(0, last.length - fewestDigits + 1)
    return Array.from({ length: count }, (_, from) => last.slice(from))
  })
}

/** Cutting may leave half of a surrogate pair, which PostgreSQL would refuse. */
export function cutWord(word: string): string {
  return word.slice(0, longestWord).toWellFormed()
}
