/** One lead with everything that is known of it. */
import { areaOf, type Area } from '../contract/business.ts'
import { movesFrom, type State } from '../contract/states.ts'
import { whyHeld } from '../lead/judge.ts'
import { undoableMove } from '../lead/undo.ts'
import type { Note } from '../store/notes.ts'
import type { Lead } from '../store/rows.ts'
import type { Store } from '../store/store.ts'
import { findOpened } from './opened.ts'
import { toRows, type LeadRow } from './rows.ts'
import { toStory, type StoryEntry } from './story.ts'

export type WholeLead = {
  lead: Lead
  /** The name of the area, or the postcode where that is in none. */
  place: string
  /** Inert text, under the names that the sender chose. */
  unlisted: { name: string; text: string }[]
  /** Why it was held, in words. Empty: it was not. */
  whyHeld: string[]
  /** The moves that are legal now. */
  moves: readonly State[]
  /** The state that an undo restores; `undefined`: there is nothing to undo. */
  undoTo: State | undefined
  notes: Note[]
  /** Oldest first. */
  story: StoryEntry[]
  isOpened: boolean
  /** Other leads of the same person, newest first. */
  others: LeadRow[]
  personKeys: string[]
}

export type WholeLeadParts = {
  store: Pick<
    Store,
    | 'findLead'
    | 'eventsOf'
    | 'notesOf'
    | 'deliveriesOf'
    | 'triesOfLead'
    | 'toldOf'
    | 'personKeysOf'
    | 'leadsOfPerson'
    | 'findOnce'
  >
  areas: readonly Area[]
}

/** More other leads of the same person are not read. */
export const mostOthersRead = 20

export async function readWholeLead(
  { store, areas }: WholeLeadParts,
  id: string,
): Promise<WholeLead | undefined> {
  const lead = await store.findLead(id)
  if (lead === undefined) return undefined
  const personKeys = await store.personKeysOf(id)
  const [[events = []], notes, deliveries, tries, opened, ofPerson] = await Promise.all([
    store.eventsOf([lead]),
    store.notesOf([lead]),
    store.deliveriesOf(lead.id),
    store.triesOfLead(lead.id),
    findOpened(store, lead.id),
    store.leadsOfPerson(personKeys, { limit: mostOthersRead + 1 }),
  ])
  const others = ofPerson.filter((other) => other.id !== lead.id).slice(0, mostOthersRead)
  return {
    lead,
    place: areaOf(lead.values.postcode, areas) ?? lead.values.postcode,
    unlisted: toTexts(lead.unlisted),
    whyHeld: whyHeld(lead.judgement),
    moves: movesFrom(lead.state, 'owner'),
    undoTo: undoableMove(events)?.from,
    notes,
    story: toStory(events, { notes, deliveries, tries, opened }),
    isOpened: opened !== undefined,
    others: await toRows(store, others, areas),
    personKeys,
  }
}

function toTexts(unlisted: string): { name: string; text: string }[] {
  if (unlisted === '') return []
  return Object.entries(JSON.parse(unlisted) as Record<string, unknown>).map(([name, value]) => ({
    name,
    text: typeof value === 'string' ? value : JSON.stringify(value),
  }))
}
