/** Searches all leads by words, digits of a phone number, parts of an email, or a reference. */
import type { Area } from '../contract/business.ts'
import { readReference } from '../store/reference.ts'
import type { Lead } from '../store/rows.ts'
import type { Readings } from '../store/sought.ts'
import type { Store } from '../store/store.ts'
import { dueLeads, leadsPastMark } from './past-mark.ts'
import { filterInTurns } from './turns.ts'
import { hasWords, readSearch, wordsOf } from './words.ts'

export type SearchStore = Pick<
  Store,
  | 'unindexedLeads'
  | 'dueIds'
  | 'notesOf'
  | 'docBefore'
  | 'findIndexed'
  | 'findLeads'
  | 'findByReference'
>

export type Found = {
  /** Newest first. */
  leads: Lead[]
  /** For the next page; `undefined`: this is the last. */
  next: string | undefined
  /** Some leads came so fast that the index does not hold them yet, and were not looked at. */
  isBehind: boolean
}

const pageSize = 50

type SearchOptions = { before?: string; limit?: number; areas?: readonly Area[] }

/** `before` is `next` of the page before. `areas`: found by their names. */
export async function searchLeads(
  store: SearchStore,
  text: string,
  { before, limit = pageSize, areas = [] }: SearchOptions = {},
): Promise<Found> {
  const readings = readSearch(text, areas)
  if (readings.length === 0) return { leads: [], next: undefined, isBehind: false }
  const page = { limit: limit + 1, ...(before === undefined ? {} : { before }) }
  // Asked before the index: what is indexed meanwhile is found twice, not missed.
  const fresh = await leadsPastMark(store, page, (lead) => hasWords(wordsOf(lead), readings))
  const others = await Promise.all([
    dueWith(store, readings),
    namedLeads(store, text),
    indexedLeads(store, readings, page),
  ])
  const found = new Map([...fresh.found, ...others.flat()].map((lead) => [lead.id, lead]))
  const leads = [...found.values()]
    .filter(({ id }) => before === undefined || id < before)
    .sort((one, other) => (one.id < other.id ? 1 : -1))
  const shown = leads.slice(0, limit)
  return {
    leads: shown,
    next: leads.length > limit ? shown.at(-1)!.id : undefined,
    isBehind: fresh.oldest !== undefined,
  }
}

async function indexedLeads(
  store: SearchStore,
  readings: Readings,
  { before, limit }: { before?: string; limit: number },
): Promise<Lead[]> {
  const past = before === undefined ? newest : (await store.docBefore(before)) + 1
  return store.findIndexed(readings, { before: past, limit })
}

const newest = Number.MAX_SAFE_INTEGER

async function dueWith(store: SearchStore, readings: Readings): Promise<Lead[]> {
  const due = await dueLeads(store)
  const notes = Map.groupBy(await store.notesOf(due), ({ leadId }) => leadId)
  return filterInTurns(due, (lead) => {
    const words = (notes.get(lead.id) ?? []).map((note) => note.words)
    return hasWords(wordsOf(lead, words), readings)
  })
}

/** A reference as people say it: small letters, O for 0, with blanks, without `C-`. */
async function namedLeads(store: SearchStore, text: string): Promise<Lead[]> {
  if (text.length > longestReference) return []
  const reference = readReference(text.replaceAll(/[\s.-]/g, ''))
  return reference === undefined ? [] : store.findByReference(reference)
}

const longestReference = 30
