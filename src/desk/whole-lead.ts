/** Reads everything that the page of one lead shows. */
import { type Area } from '../contract/business.ts'
import { whyHeld } from '../lead/judge.ts'
import { undoableMove } from '../lead/life.ts'
import type { LeadEvent } from '../store/leads/events.ts'
import type { Note } from '../store/leads/notes.ts'
import type { Lead } from '../store/leads/rows.ts'
import { type Store } from '../store/store.ts'
import { asSentOf, type TypedDetails } from './details.ts'
import { toStory, type Opened, type StoryEntry } from './story.ts'
import { placeOf, toRows, type LeadRow } from './views.ts'

export type WholeLead = {
  lead: Lead
  place: string
  unlisted: { name: string; text: string }[]
  whyHeld: string[]
  events: readonly LeadEvent[]
  /** The person's other request, if the visit was moved between them, so that one undo takes back both. */
  undoWith: Lead | undefined
  notes: readonly Note[]
  /** What the customer sent, where the owner has corrected it. */
  asSent: Partial<TypedDetails>
  story: StoryEntry[]
  isOpened: boolean
  others: LeadRow[]
}

export const mostOthersRead = 20

export async function readWholeLead(
  store: Store,
  areas: readonly Area[],
  id: string,
): Promise<WholeLead | undefined> {
  const lead = await store.leads.find(id)
  if (lead === undefined) return undefined
  const personKeys = await store.views.personKeysOf(id)
  const [{ events, detailsBefore, notes }, deliveries, tries, opened, ofPerson] = await Promise.all(
    [
      store.leads.historyOf(lead),
      store.deliveries.ofLead(lead.id),
      store.deliveries.triesOfLead(lead.id),
      findOpened(store, lead.id),
      store.views.ofPerson(personKeys, { limit: mostOthersRead + 1 }),
    ],
  )
  const others = ofPerson.filter((other) => other.id !== lead.id).slice(0, mostOthersRead)
  return {
    lead,
    place: placeOf(lead, areas),
    unlisted: toTexts(lead.unlisted),
    whyHeld: whyHeld(lead.judgement),
    events,
    undoWith: await findMovedWith(store, lead, events),
    notes,
    asSent: asSentOf(lead, detailsBefore[0]?.details),
    story: toStory(events, { deliveries, tries, opened }),
    isOpened: opened !== undefined,
    others: await toRows(store, others, areas),
  }
}

/** Returns `undefined` if the other request was moved or got another date since. */
async function findMovedWith(
  store: Store,
  { id }: Lead,
  events: readonly LeadEvent[],
): Promise<Lead | undefined> {
  const otherId = undoableMove(events)?.otherId
  const other = otherId === undefined ? undefined : await store.leads.find(otherId)
  if (other === undefined) return undefined
  const [ofOther = []] = await store.leads.eventsOf([other])
  return undoableMove(ofOther)?.otherId === id ? other : undefined
}

export function toTexts(unlisted: string): { name: string; text: string }[] {
  if (unlisted === '') return []
  return Object.entries(JSON.parse(unlisted) as Record<string, unknown>).map(([name, value]) => ({
    name,
    text: typeof value === 'string' ? value : JSON.stringify(value),
  }))
}

const idOf = (leadId: string) => `opened ${leadId}`

export async function noteOpened(store: Store, leadId: string, { at, by }: Opened): Promise<void> {
  await store.marks.claim(idOf(leadId), at, { about: by })
}

async function findOpened(store: Store, leadId: string): Promise<Opened | undefined> {
  const found = await store.marks.find(idOf(leadId))
  return found && { at: found.at, by: found.about }
}
