/**
 * Searches all leads by words, digits of a phone number, parts of an email, or a reference. The words
 * of a lead are made in store/leads/search-words.ts.
 */
import { type Area } from '../contract/business.ts'
import { isWholeNumber, toNationalStart } from '../contract/phone.ts'
import { readReference } from '../store/leads/reference.ts'
import { type Lead } from '../store/leads/rows.ts'
import { type Readings, type SoughtWord } from '../store/leads/search.ts'
import { cutWord, fewestDigits, wordsIn } from '../store/leads/search-words.ts'
import { type Store } from '../store/store.ts'

export type Found = {
  /** Newest first; a lead that is named by its reference comes before them. */
  leads: Lead[]
  /** `before` of the next page; `undefined`: this is the last. */
  next: string | undefined
}

const pageSize = 50

type SearchOptions = { before?: string; limit?: number; areas?: readonly Area[] }

/** `before` is `next` of the page before. `areas`: found by their names. */
export async function searchLeads(
  store: Store,
  text: string,
  { before, limit = pageSize, areas = [] }: SearchOptions = {},
): Promise<Found> {
  const readings = readSearch(text, areas)
  if (readings.length === 0) return { leads: [], next: undefined }
  const [named, found] = await Promise.all([
    before === undefined ? namedLeads(store, text) : [],
    store.findByWords(readings, { before, limit: limit + 1 }),
  ])
  const page = found.slice(0, limit)
  const others = page.filter(({ id }) => !named.some((lead) => lead.id === id))
  return {
    leads: [...named, ...others],
    next: found.length > limit ? page.at(-1)!.id : undefined,
  }
}

/** A reference as people say it: small letters, O for 0, with blanks, without `C-`. */
async function namedLeads(store: Store, text: string): Promise<Lead[]> {
  const reference = readReference(text.replaceAll(/[\s.-]/g, ''))
  const lead = reference === undefined ? undefined : await store.findByReference(reference)
  return lead === undefined ? [] : [lead]
}

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
