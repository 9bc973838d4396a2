/** Reads what members type into the search, and finds the leads. */
import { type Area } from '../contract/business.ts'
import { isEmail } from '../contract/fields.ts'
import { withoutPrefix } from '../contract/phone.ts'
import { type PersonKeys } from '../lead/person-keys.ts'
import { readReference } from '../store/leads/reference.ts'
import { type Lead } from '../store/leads/rows.ts'
import { type SoughtTerm, type Where } from '../store/leads/search.ts'
import { type Store } from '../store/store.ts'
import { toPlain } from '../words.ts'
import type { LeadRow } from './views.ts'

export type FoundLeads = {
  /** Newest first; leads whose reference, email or phone number was typed come before all others. */
  leads: Lead[]
  /** The `before` of the next page. */
  nextPage: string | undefined
  /** False if older leads were not searched, because it would take too long; `nextPage` searches them. */
  isWhole: boolean
  /** Whether the leads have the terms as they say, or only inside of words. */
  where: Where
  /** True if more than `mostTerms` words were typed, so that the last ones were not sought. */
  isCut: boolean
}

const pageSize = 50
/** About a fifth of a second on SQLite, and a second on PostgreSQL. More would keep a member waiting. */
const mostReadAtOnce = 200_000

type SearchOptions = {
  before?: string | undefined
  limit?: number
  areas?: readonly Area[]
  mostRead?: number
  /** With it, a whole email or phone number is found by its index, however many leads there are. */
  keysOf?: PersonKeys
}

export async function searchLeads(
  store: Store,
  text: string,
  options: SearchOptions = {},
): Promise<FoundLeads> {
  const { before, limit = pageSize, areas = [], mostRead = mostReadAtOnce } = options
  const terms = readSearch(text, areas)
  const isCut = soughtWords(text).length > mostTerms
  if (terms.length === 0) return { ...nothing, leads: [], isCut }
  const named = await namedLeads(store, text, options.keysOf)
  const found = await store.search.findByText(terms, { before, limit: limit + 1, mostRead })
  const isFull = found.leads.length > limit
  const page = found.leads.slice(0, limit)
  // The first page has shown them.
  const others = page.filter(({ id }) => !named.some((lead) => lead.id === id))
  const leads = before === undefined ? [...named, ...others] : others
  return {
    leads: await store.leads.asFirsts(leads),
    nextPage: (isFull ? page.at(-1)!.id : found.readTo) || undefined,
    isWhole: isFull || found.readTo === '',
    where: found.where,
    isCut,
  }
}

const nothing = { nextPage: undefined, isWhole: true, where: 'as it says' } as const

/** A single letter or digit would find nearly everything; in Chinese, a single character is a word. */
export function isTooShort(text: string): boolean {
  return /^[\p{sc=Latin}\p{Nd}]$/u.test(toPlain(text))
}

/**
 * What has one of the terms, though the row would not show it: the newest such note of the lead or,
 * unless its own message has the term, the newest such message of those that are joined with it.
 */
export async function foundWords(
  store: Store,
  { rows, where }: { rows: readonly LeadRow[]; where: Where },
  text: string,
): Promise<Map<string, string>> {
  const terms = readSearch(text)
  const isFound = (words: string) => {
    const plain = ` ${toPlain(words)}`
    return terms.some((term) => hasTerm(plain, term, where))
  }
  const notes = await store.leads.notesWithJoined(rows)
  const found = rows.map(({ id, values, joinedMessages }): [string, string] => {
    const note = notes.get(id)?.findLast(({ words }) => isFound(words))
    if (note !== undefined) return [id, `Note: ${note.words}`]
    const also = isFound(values.message) ? undefined : joinedMessages.findLast(isFound)
    return [id, also === undefined ? '' : `Also: ${also}`]
  })
  return new Map(found.filter(([, words]) => words !== ''))
}

/** The leads whose reference, email or phone number is the whole text. Each is found by its index. */
async function namedLeads(store: Store, text: string, keysOf?: PersonKeys): Promise<Lead[]> {
  const reference = readReference(text.replaceAll(/[\s.-]/g, ''))
  const lead = reference === undefined ? undefined : await store.leads.findByReference(reference)
  const ofPerson = await leadsByKey(store, text, keysOf)
  if (lead === undefined) return ofPerson
  return [lead, ...ofPerson.filter(({ id }) => id !== lead.id)]
}

async function leadsByKey(store: Store, text: string, keysOf?: PersonKeys): Promise<Lead[]> {
  const typed = text.trim()
  const [word = '', ...others] = soughtWords(typed)
  const isNumber = others.length === 0 && isDigits.test(word)
  const email = isEmail(typed) ? typed : ''
  const keys = keysOf?.({ email, phone: isNumber ? typed : '' }) ?? []
  return keys.length === 0 ? [] : store.views.ofPerson(keys, { limit: pageSize })
}

export const longestSought = 400
/** Further words are not looked for, because each makes the search slower. */
export const mostTerms = 4

/** A lead is found if it has all terms. */
export function readSearch(text: string, areas: readonly Area[] = []): SoughtTerm[] {
  return soughtWords(text)
    .slice(0, mostTerms)
    .map((word) => toTerm(word, areas))
}

/** The groups of a phone number are one word. */
function soughtWords(text: string): string[] {
  const words = text
    .slice(0, longestSought)
    .split(/\s+/)
    .map((each) => toPlain(each))
    .map(joinedDigits)
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
    const isAnywhere = word.length >= fewestDigits
    return { texts: [isAnywhere ? withoutPrefix(word) : word], isAnywhere, postcodes: [] }
  }
  return {
    texts: [...new Set([word, word.replaceAll(typedUmlaut, '$1')])],
    isAnywhere: withoutBlanks.test(word),
    postcodes: postcodesOf(word, areas),
  }
}

/** Müller, who is kept as muller, may be typed as mueller. */
const typedUmlaut = /(?<=[bcdfghjklmnprstvwz])([aou])e(?=[bcdfghjklmnpqrstvwxz])/g

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
