/** The words of a lead, and of what somebody searches for: made here, the same for every engine. */
import type { Area } from '../contract/business.ts'
import { fieldKeys } from '../contract/fields.ts'
import { isWholeNumber, readPhones, toNationalStart } from '../lead/phone.ts'
import type { Readings, SoughtWord } from '../store/sought.ts'
import type { Lead } from '../store/rows.ts'

const mostWords = 1_000
/** In what becomes these words: several runs of letters may become the same. */
const mostLetters = 8_000
const longestWord = 40
/** Fewer digits are an ordinary word. */
const fewestDigits = 3
/** In a text that is not a phone field. */
const wholeNumber = 8
const mostSought = 16
const longestSought = 400
/** More than the postcodes of a large city. */
const mostReadings = 300

/** Short fields come first: of a very long message the last words are left out. */
const inOrder = [...fieldKeys.filter((key) => key !== 'message'), 'message' as const]

export function wordsOf(lead: Pick<Lead, 'values' | 'unlisted'>, notes: readonly string[] = []) {
  const words = new Set<string>()
  addNumbers(words, lead.values.phone, fewestDigits)
  const texts = [...inOrder.map((key) => lead.values[key]), ...notes, ...textsIn(lead.unlisted)]
  const seen = new Set<string>()
  let length = 0
  for (const text of texts) {
    addNumbers(words, text, wholeNumber)
    for (const [run] of text.matchAll(runs)) {
      if (words.size >= mostWords || length > mostLetters) break
      const bare = withoutMarks(run)
      if (seen.has(bare)) continue
      seen.add(bare)
      // O'Brien is also obrien.
      const joined = bare.replaceAll(apostrophes, '')
      for (const word of joined === bare ? toWords(bare) : [...toWords(bare), ...toWords(joined)]) {
        words.add(word)
        length += word.length
      }
    }
  }
  return [...words].slice(0, mostWords)
}

/** What may become words: some signs stand for letters, as ㎡ does. */
const runs = /[\p{L}\p{N}\p{M}\p{So}'’]+/gu
const apostrophes = /['’ʼ]/g
const marks = /\p{M}+/gu
const letters = /[\p{L}\p{N}]+/gu
const isPlain = /^[a-z0-9]+$/

/** Every end of a number, so that any digits of it are the start of a word. */
function addNumbers(words: Set<string>, text: string, shortest: number): void {
  for (const { digits } of readPhones(text)) {
    if (digits.length < shortest) continue
    const from = Math.max(0, digits.length - longestWord)
    for (let at = from; at <= digits.length - fewestDigits; at += 1) words.add(digits.slice(at))
  }
}

/** In lower case. Many marks go before anything else: to put them in order takes long. */
function withoutMarks(run: string): string {
  const lower = run.toLowerCase()
  return isPlain.test(lower) ? lower : lower.replaceAll(marks, '')
}

/**
 * Decomposed, split at everything but letters and digits. It is cut before, too: a sign may stand for
 * many letters.
 */
function toWords(bare: string): string[] {
  const short = cut(bare)
  if (isPlain.test(short)) return [short]
  const plain = withoutMarks(short.normalize('NFKD')).normalize('NFKD').replaceAll(marks, '')
  return (plain.match(letters) ?? []).map(cut)
}

/** By code points: half of a pair is no letter. */
function cut(word: string): string {
  if (word.length <= longestWord) return word
  const start = word.slice(0, 2 * longestWord)
  return [...start].slice(0, longestWord).join('')
}

/** Names and values of the unlisted fields. */
function textsIn(unlisted: string): string[] {
  if (unlisted === '') return []
  const texts: string[] = []
  const add = (value: unknown): void => {
    if (typeof value === 'object' && value !== null) {
      for (const [name, item] of Object.entries(value)) {
        if (!Array.isArray(value)) texts.push(name)
        add(item)
      }
    } else if (typeof value === 'string' || typeof value === 'number') texts.push(String(value))
  }
  add(JSON.parse(unlisted))
  return texts
}

/**
 * A lead must have all words; the last may be the start of one, and so may digits. Digits in groups
 * are also read as one number, and only so where that is a whole phone number. Empty: there is nothing
 * to search for.
 */
export function readSearch(text: string, areas: readonly Area[] = []): Readings {
  const words = wordsIn(text.slice(0, longestSought)).slice(0, mostSought)
  if (words.length === 0) return []
  const joined = joinDigits(words)
  const national = joined.map((word) => (isDigits.test(word) ? toNationalStart(word) : word))
  const ways = national.some(isWholeNumber) ? [national] : [words, joined, national]
  const readings = ways.map((reading) => reading.join(' '))
  const typed = [...new Set(readings)].map((reading) => reading.split(' ').map(toSought))
  const placed = areas.flatMap((area) => typed.flatMap((reading) => inArea(reading, area)))
  return [...typed, ...placed].slice(0, mostReadings)
}

/**
 * Rows show the name of an area where a lead has only the postcode. So words of the name are also
 * read as each of its postcodes; an index of names would miss what business.yaml says tomorrow.
 */
function inArea(sought: readonly SoughtWord[], { name, postcodes }: Area): Readings {
  const names = wordsIn(name)
  const others = sought.filter((word) => !hasWords(names, [[word]]))
  if (others.length === sought.length) return []
  return postcodes.map((postcode) => [...others, { text: postcode, isStart: false }])
}

function wordsIn(text: string): string[] {
  return Array.from(text.matchAll(runs), ([run]) => toWords(withoutMarks(run))).flat()
}

function toSought(text: string, index: number, { length }: readonly string[]): SoughtWord {
  const isNumber = isDigits.test(text) && text.length >= fewestDigits
  return { text, isStart: isNumber || index === length - 1 }
}

const isDigits = /^[0-9]+$/

/** Neighbours of digits become one number. */
function joinDigits(words: readonly string[]): string[] {
  const joined: string[] = []
  let digits = ''
  for (const word of [...words, '']) {
    if (isDigits.test(word)) {
      digits += word
      continue
    }
    if (digits !== '') joined.push(cut(digits))
    digits = ''
    if (word !== '') joined.push(word)
  }
  return joined
}

/** The same rule as the index has, for leads that are not in it yet. */
export function hasWords(words: readonly string[], readings: Readings): boolean {
  const known = new Set(words)
  const has = ({ text, isStart }: SoughtWord) =>
    known.has(text) || (isStart && words.some((word) => word.startsWith(text)))
  return readings.some((sought) => sought.every(has))
}
