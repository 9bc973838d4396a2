/** Searches all leads by words, digits of a phone number, parts of an email, or a reference. */
import { type Area } from '../contract/business.ts'
import { readReference } from '../store/reference.ts'
import { type Lead } from '../store/rows.ts'
import { type Store } from '../store/store.ts'
import { readSearch } from './words.ts'

export type Found = {
  /** Newest first; a lead that is named by its reference comes before them. */
  leads: Lead[]
  /** For the next page; `undefined`: this is the last. */
  next: string | undefined
}

const pageSize = 50

export type SearchStore = Pick<Store, 'findByWords' | 'findByReference'>
type SearchOptions = { before?: string; limit?: number; areas?: readonly Area[] }

/** `before` is `next` of the page before. `areas`: found by their names. */
export async function searchLeads(
  store: SearchStore,
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
async function namedLeads(store: SearchStore, text: string): Promise<Lead[]> {
  if (text.length > longestReference) return []
  const reference = readReference(text.replaceAll(/[\s.-]/g, ''))
  const lead = reference === undefined ? undefined : await store.findByReference(reference)
  return lead === undefined ? [] : [lead]
}

const longestReference = 30
