/** Reads what members type into the search. */
import { type Area } from '../contract/business.ts'
import { isWholeNumber, toNationalStart } from '../contract/phone.ts'
import { readReference } from '../store/leads/reference.ts'
import { type Lead } from '../store/leads/rows.ts'
import { type Readings, type SoughtWord } from '../store/leads/search.ts'
import { cutWord, fewestDigits, wordsIn } from '../store/leads/search-words.ts'
import { type Store } from '../store/store.ts'

export type Found = {
  /** Newest first; the lead whose reference was typed comes before all others. */
  leads: Lead[]
  /** The `before` of the next page. */
  next: string | undefined
}

const pageSize = 50

type SearchOptions = { before?: string | undefined; limit?: number; areas?: readonly Area[] }

export async function searchLeads(
  store: Store,
  text: string,
  { before, limit = pageSize, areas = [] }: SearchOptions = {},
): Promise<Found> {
  const readings = readSearch(text, areas)
  if (readings.length === 0) return { leads: [], next: undefined }
  const [named, found] = await Promise.all([
    before === undefined ? leadsByReference(store, text) : [],
    store.findByWords(readings, { before, limit: limit + 1 }),
  ])
  const page = found.slice(0, limit)
  const others = page.filter(({ id }) => !named.some((lead) => lead.id === id))
  return {
    leads: [...named, ...others],
    next: found.length > limit ? page.at(-1)!.id : undefined,
  }
}

/** For each lead with a note that has one of the words: the newest such note. */
export async function foundNotes(
  store: Store,
  leads: readonly Lead[],
  text: string,
): Promise<Map<string, string>> {
  const anyWord = readSearch(text)
    .flat()
    .map((word) => [word])
  const notes = leads.length === 0 ? [] : await store.notesOf(leads)
  const found = notes.filter(({ words }) => hasWords(wordsIn(words), anyWord))
  return new Map(found.map(({ leadId, words }) => [leadId, words]))
}

async function leadsByReference(store: Store, text: string): Promise<Lead[]> {
  const reference = readReference(text.replaceAll(/[\s.-]/g, ''))
  const lead = reference === undefined ? undefined : await store.findByReference(reference)
  return lead === undefined ? [] : [lead]
}

const mostSought = 16
export const longestSought = 400
/** Large, because the name of an area is read as each of its postcodes. */
const mostReadings = 300

/**
 * A lead is found if it has all words of one reading. "570 157" is read only as 570157, which may
 * be part of a phone number, but "4 6" as 46 or as 4 and 6.
 */
export function readSearch(text: string, areas: readonly Area[] = []): Readings {
  const words = wordsIn(text.slice(0, longestSought)).slice(0, mostSought)
  if (words.length === 0) return []
  const joined = joinDigits(words)
  const national = joined.map((word) => (isDigits.test(word) ? toNationalStart(word) : word))
  const isOne = joined.some((word) => !words.includes(word) && partOfNumber.test(word))
  const apart = isOne ? [] : [words]
  const ways = national.some(isWholeNumber) ? [national] : [...apart, joined, national]
  const readings = ways.map((reading) => reading.join(' '))
  const typed = [...new Set(readings)].map((reading) => reading.split(' ').map(toSought))
  const placed = areas.flatMap((area) => typed.flatMap((reading) => inArea(reading, area)))
  return [...typed, ...placed].slice(0, mostReadings)
}

/** Reads words of an area's name as its postcodes, because the name may change and is not indexed. */
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
/** Fewer digits may be measures such as "4 6"; 14 digits are a postcode and a whole phone number. */
const partOfNumber = /^[0-9]{6,13}$/

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

/** The search indexes of both database engines follow the same rule. */
export function hasWords(words: readonly string[], readings: Readings): boolean {
  const known = new Set(words)
  const has = ({ text, isStart }: SoughtWord) =>
    known.has(text) || (isStart && words.some((word) => word.startsWith(text)))
  return readings.some((sought) => sought.every(has))
}
