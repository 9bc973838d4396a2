/** The words by which a lead is found: made here, the same for every engine. */
import { type FieldValues, fieldKeys } from '../../contract/fields.ts'
import { readPhones } from '../../contract/phone.ts'

const mostWords = 1_000
/** Limits the work where the number of words does not: many runs of letters may become the same word. */
const mostLetters = 8_000
const longestWord = 40
/** A phone number is found by this many digits of it; fewer digits are an ordinary word. */
export const fewestDigits = 3
/** Fewest digits that count as a phone number outside the phone field. */
const wholeNumber = 8

/** Short fields come first: the last words of a very long message are left out. */
const inOrder = [...fieldKeys.filter((key) => key !== 'message'), 'message' as const]

export function wordsOf(
  lead: { values: FieldValues; unlisted: string },
  notes: readonly string[] = [],
): string[] {
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
      // O'Brien is also found as obrien.
      const joined = bare.replaceAll(apostrophes, '')
      for (const word of joined === bare ? toWords(bare) : [...toWords(bare), ...toWords(joined)]) {
        words.add(word)
        length += word.length
      }
    }
  }
  return [...words].slice(0, mostWords)
}

/** The words of a typed search, in their order. */
export function wordsIn(text: string): string[] {
  return Array.from(text.matchAll(runs), ([run]) => toWords(withoutMarks(run))).flat()
}

/** Runs that may become words: some signs stand for letters, as ㎡ does. */
const runs = /[\p{L}\p{N}\p{M}\p{So}'’]+/gu
const apostrophes = /['’ʼ]/g
const marks = /\p{M}+/gu
const letters = /[\p{L}\p{N}]+/gu
const isPlain = /^[a-z0-9]+$/

/** Adds every suffix of a phone number as a word, so that any digits of the number are the start of a word. */
function addNumbers(words: Set<string>, text: string, shortest: number): void {
  for (const { digits } of readPhones(text)) {
    if (digits.length < shortest) continue
    const from = Math.max(0, digits.length - longestWord)
    for (let at = from; at <= digits.length - fewestDigits; at += 1) words.add(digits.slice(at))
  }
}

/** Lowers the case and removes accents. Done before `normalize`, which is slow for many accents in a row. */
function withoutMarks(run: string): string {
  const lower = run.toLowerCase()
  return isPlain.test(lower) ? lower : lower.replaceAll(marks, '')
}

/**
 * Decomposes a run and splits it at everything but letters and digits. Cuts it before and after, since
 * a sign may stand for many letters.
 */
function toWords(bare: string): string[] {
  const short = cutWord(bare)
  if (isPlain.test(short)) return [short]
  const plain = withoutMarks(short.normalize('NFKD')).normalize('NFKD').replaceAll(marks, '')
  return (plain.match(letters) ?? []).map(cutWord)
}

/** Cuts by code points: half of a surrogate pair is no letter. */
export function cutWord(word: string): string {
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
