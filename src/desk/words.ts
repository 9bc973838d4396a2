/** Reads what somebody searches for. Leads have their words from store/search-words.ts. */
import { type Area } from '../contract/business.ts'
import { isWholeNumber, toNationalStart } from '../contract/phone.ts'
import { type Readings, type SoughtWord } from '../store/search.ts'
import { cutWord, fewestDigits, wordsIn } from '../store/search-words.ts'

const mostSought = 16
const longestSought = 400
/** More than the postcodes of a large city. */
const mostReadings = 300

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
    if (digits !== '') joined.push(cutWord(digits))
    digits = ''
    if (word !== '') joined.push(word)
  }
  return joined
}

/** The rule by which both engines find a lead. */
export function hasWords(words: readonly string[], readings: Readings): boolean {
  const known = new Set(words)
  const has = ({ text, isStart }: SoughtWord) =>
    known.has(text) || (isStart && words.some((word) => word.startsWith(text)))
  return readings.some((sought) => sought.every(has))
}
