/** Reads everything that the page of one lead shows. */
import { type Area } from '../contract/business.ts'
import { visitOf, type VisitEmail } from '../contract/visit.ts'
import { whyHeld } from '../lead/judge.ts'
import type { LeadEvent } from '../store/leads/events.ts'
import type { Note } from '../store/leads/notes.ts'
import type { Lead } from '../store/leads/rows.ts'
import { type Store } from '../store/store.ts'
import { asSentOf, type TypedDetails } from './details.ts'
import { toStory, type Opened, type StoryEntry } from './story.ts'
import { placeOfLead, toRows, type LeadRow } from './views.ts'

export type WholeLead = {
  lead: Lead
  town: string
  unlisted: { name: string; text: string }[]
  whyHeld: string[]
  events: readonly LeadEvent[]
  notes: readonly Note[]
  /** The requests that are joined with this one, the oldest first. */
  joined: readonly JoinedRequest[]
  /** What the customer sent, where the owner has corrected it. */
  asSent: Partial<TypedDetails>
  story: StoryEntry[]
  /** What the last email about the visit said to each address. */
  visitEmails: readonly VisitEmail[]
  isOpened: boolean
  /** The requests with the same email or phone number, joined ones too. */
  ofPerson: readonly Lead[]
  /** The same as rows, where the request that a joined one is joined with stands for it. */
  others: LeadRow[]
}

export type JoinedRequest = { lead: Lead; notes: readonly Note[] }

export const mostOthersRead = 20

export async function readWholeLead(
  store: Store,
  areas: readonly Area[],
  id: string,
): Promise<WholeLead | undefined> {
  const lead = await store.leads.find(id)
  if (lead === undefined) return undefined
  const personKeys = await store.views.personKeysOf(id)
  const [{ events, detailsBefore, notes, joined }, deliveries, tries, visitEmails, opened, found] =
    await Promise.all([
      store.leads.historyOf(lead),
      store.deliveries.ofLead(lead.id),
      store.deliveries.triesOfLead(lead.id),
      visitOf(lead) === undefined ? [] : store.deliveries.visitEmailsOf(lead.id),
      findOpened(store, lead.id),
      store.views.ofPerson(personKeys, { limit: mostOthersRead + 1 }),
    ])
  const ofPerson = found.filter((other) => other.id !== id).slice(0, mostOthersRead)
  const firsts = await store.leads.asFirsts(ofPerson)
  const others = firsts.filter((other) => other.id !== id)
  const joinedNotes = joined.length === 0 ? [] : await store.leads.notesOf(joined)
  return {
    lead,
    town: placeOfLead(lead, areas),
    unlisted: toTexts(lead.unlisted),
    whyHeld: whyHeld(lead.judgement),
    events,
    notes,
    joined: joined.map((each) => ({
      lead: each,
      notes: joinedNotes.filter(({ leadId }) => leadId === each.id),
    })),
    asSent: asSentOf(lead, detailsBefore[0]?.details),
    story: toStory(events, { deliveries, tries, opened }),
    visitEmails,
    isOpened: opened !== undefined,
    ofPerson,
    others: await toRows(store, others, areas),
  }
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
