/** Reads what members type into the search, and finds the leads. */
import { type Area } from '../contract/business.ts'
import { isWholeNumber } from '../contract/phone.ts'
import { readReference } from '../store/leads/reference.ts'
import { type Lead } from '../store/leads/rows.ts'
import { type SoughtTerm, type Where } from '../store/leads/search.ts'
import { toPlain } from '../store/leads/search-text.ts'
import { type Store } from '../store/store.ts'
import { secondMs } from '../time.ts'

export type Found = {
  /** Newest first; the lead whose reference was typed comes before all others. */
  leads: Lead[]
  /** The `before` of the next page. */
  next: string | undefined
  /** False if older leads were not searched, because it would take too long. */
  isWhole: boolean
  /** Whether the leads have the terms as they say, or only inside of words. */
  where: Where
  /** True if more than `mostTerms` words were typed, so that the last ones were not sought. */
  isCut: boolean
}

const pageSize = 50
/** A member waits no longer for a search. About a million leads are searched in this time. */
const patienceMs = 2 * secondMs

type SearchOptions = {
  before?: string | undefined
  limit?: number
  areas?: readonly Area[]
  patienceMs?: number
}

export async function searchLeads(
  store: Store,
  text: string,
  options: SearchOptions = {},
): Promise<Found> {
  const { before, limit = pageSize, areas = [] } = options
  const terms = readSearch(text, areas)
  const isCut = wordsOf(text).length > mostTerms
  if (terms.length === 0) return { ...nothing, leads: [], isCut }
  const until = performance.now() + (options.patienceMs ?? patienceMs)
  const named = before === undefined ? await leadsByReference(store, text) : []
  const found = await store.search.findByText(terms, { before, limit: limit + 1, until })
  const page = found.leads.slice(0, limit)
  const others = page.filter(({ id }) => !named.some((lead) => lead.id === id))
  return {
    leads: [...named, ...others],
    next: found.leads.length > limit ? page.at(-1)!.id : undefined,
    isWhole: found.isWhole,
    where: found.where,
    isCut,
  }
}

const nothing = { next: undefined, isWhole: true, where: 'as it says' } as const

/** A single letter or digit would find nearly everything; in Chinese, a single character is a word. */
export function isTooShort(text: string): boolean {
  return /^[\p{sc=Latin}\p{Nd}]$/u.test(toPlain(text))
}

/** For each lead with a note that has one of the terms: the newest such note. */
export async function foundNotes(
  store: Store,
  { leads, where }: Pick<Found, 'leads' | 'where'>,
  text: string,
): Promise<Map<string, string>> {
  const terms = readSearch(text)
  const notes = leads.length === 0 ? [] : await store.leads.notesOf(leads)
  const found = notes.filter(({ words }) => {
    const plain = ` ${toPlain(words)}`
    return terms.some((term) => hasTerm(plain, term, where))
  })
  return new Map(found.map(({ leadId, words }) => [leadId, words]))
}

async function leadsByReference(store: Store, text: string): Promise<Lead[]> {
  const reference = readReference(text.replaceAll(/[\s.-]/g, ''))
  const lead = reference === undefined ? undefined : await store.leads.findByReference(reference)
  return lead === undefined ? [] : [lead]
}

export const longestSought = 400
/** Further words are not looked for, because each makes the search slower. */
export const mostTerms = 4

/** A lead is found if it has all terms. */
export function readSearch(text: string, areas: readonly Area[] = []): SoughtTerm[] {
  return wordsOf(text)
    .slice(0, mostTerms)
    .map((word) => toTerm(word, areas))
}

/** The groups of a phone number are one word. */
function wordsOf(text: string): string[] {
  const words = text.slice(0, longestSought).split(/\s+/).map(toPlain).map(joinedDigits)
  return joinNumbers(words.filter(Boolean))
}

const isDigits = /^[0-9]+$/

/** Turns what is left of (02)5550-0100 into one number. */
function joinedDigits(word: string): string {
  return /^[0-9 ]+$/.test(word) ? word.replaceAll(' ', '') : word
}

/** Fewer digits may be measures such as "4 6"; 14 digits are a postcode and a whole phone number. */
const partOfNumber = /^[0-9]{6,13}$/

/** Joins neighbours to a phone number, or a part of one: "0491 570" is sought as 0491570. */
function joinNumbers(words: readonly string[]): string[] {
  const joined: string[] = []
  let digits: string[] = []
  for (const word of [...words, '']) {
    if (isDigits.test(word)) {
      digits.push(word)
      continue
    }
    const number = digits.join('')
    if (partOfNumber.test(number)) joined.push(number)
    else joined.push(...digits)
    digits = []
    if (word !== '') joined.push(word)
  }
  return joined
}

/** Fewer digits are a word like any other. */
const fewestDigits = 3
/** These scripts put no blank between words. */
const withoutBlanks =
  /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]/u

function toTerm(word: string, areas: readonly Area[]): SoughtTerm {
  if (isDigits.test(word)) {
    return { texts: numbersOf(word), isAnywhere: word.length >= fewestDigits, postcodes: [] }
  }
  return {
    texts: [word],
    isAnywhere: withoutBlanks.test(word),
    postcodes: postcodesOf(word, areas),
  }
}

/** The text may have +61, 0 or nothing before the same digits. */
function numbersOf(digits: string): string[] {
  const bare = digits.replace(/^(?:(?:00(?:11)?)?610?|0)(?=[2-9]\d{4,8}$)/, '')
  if (bare === digits) return [digits]
  return isWholeNumber(`0${bare}`) ? [bare] : [digits, bare]
}

/** Fewer letters begin the names of too many areas. */
const fewestLetters = 3

/** A word of an area's name stands for its postcodes too, because the name may change and is not stored. */
function postcodesOf(word: string, areas: readonly Area[]): string[] {
  if (word.length < fewestLetters) return []
  const named = areas.filter(({ name }) => ` ${toPlain(name)}`.includes(` ${word}`))
  return named.flatMap(({ postcodes }) => postcodes)
}

/** Follows the same rule as the SQL of the search, for a text that is not in the database. */
export function hasTerm(plain: string, { texts, isAnywhere }: SoughtTerm, where: Where): boolean {
  const anywhere = isAnywhere || where === 'anywhere'
  return texts.some((text) => plain.includes(anywhere ? text : ` ${text}`))
}
