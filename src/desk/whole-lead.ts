/** Reads everything that the page of one lead shows. */
import { type Area } from '../contract/business.ts'
import { movesFrom, type EventKind, type Next, type State } from '../contract/states.ts'
import { whyHeld } from '../lead/judge.ts'
import { isVisitAhead, undoableMove, type UndoableMove } from '../lead/life.ts'
import type { Note } from '../store/leads/notes.ts'
import { nextOf, type Lead } from '../store/leads/rows.ts'
import { type Store } from '../store/store.ts'
import { placeOf, toRows, type LeadRow } from './views.ts'
import type { StoredNotice } from '../contract/notices.ts'
import { dataOf, type LeadEvent } from '../store/leads/events.ts'
import type { Delivery, Try } from '../store/deliveries/rows.ts'
import { mostRepeatsNoted } from '../store/leads/keep.ts'

export type WholeLead = {
  lead: Lead
  place: string
  unlisted: { name: string; text: string }[]
  whyHeld: string[]
  moves: readonly State[]
  /** The state after an undo; `undefined`: there is nothing to undo. */
  undoTo: State | undefined
  /** The person's other request, if the visit was moved between them, so that one undo takes back both. */
  undoWith: Lead | undefined
  notes: Note[]
  next: Next | undefined
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
  const last = undoableMove(events)
  return {
    lead,
    place: placeOf(lead, areas),
    unlisted: toTexts(lead.unlisted),
    whyHeld: whyHeld(lead.judgement),
    moves: movesFrom[lead.state],
    undoTo: last?.from,
    undoWith: last && (await findMovedWith(store, lead, last)),
    notes,
    next: nextOf(lead),
    story: toStory(events, { deliveries, tries, opened }),
    isOpened: opened !== undefined,
    others: await toRows(store, others, areas),
  }
}

/** Returns `undefined` if the other request was moved or got another date since. */
async function findMovedWith(
  store: Store,
  { id }: Lead,
  { otherId }: UndoableMove,
): Promise<Lead | undefined> {
  const other = otherId === undefined ? undefined : await store.findLead(otherId)
  if (other === undefined) return undefined
  const [events = []] = await store.eventsOf([other])
  return undoableMove(events)?.otherId === id ? other : undefined
}

/** The person's other requests that have a visit ahead, the soonest first. */
export function otherVisits({ others }: WholeLead, now: number): LeadRow[] {
  const ahead = others.filter((other) => isVisitAhead(other, now))
  return ahead.sort((one, other) => one.nextAt! - other.nextAt!)
}

export function toTexts(unlisted: string): { name: string; text: string }[] {
  if (unlisted === '') return []
  return Object.entries(JSON.parse(unlisted) as Record<string, unknown>).map(([name, value]) => ({
    name,
    text: typeof value === 'string' ? value : JSON.stringify(value),
  }))
}

export type StoryEntry = { at: number } & (
  | {
      what: 'event'
      kind: EventKind
      /** `owner`, `sender`, `retention` or the id of a member; '' if the event names nobody. */
      by: string
      to?: State
      next?: Next | undefined
      takenBy?: string | undefined
      otherId?: string | undefined
      isUndo: boolean
      /** Repeats in a row are one entry, which counts them. */
      times: number
      /** Only the first `mostRepeatsNoted` repeats are noted, so there may have been more. */
      orMore: boolean
    }
  | { what: 'try'; channel: string; notice: StoredNotice; outcome: string; answer: string }
  | { what: 'opened'; by: string }
  /** `gathered`: the notice was not sent, but a later letter counts it. */
  | { what: 'waiting' | 'gathered'; channel: string; notice: StoredNotice }
  /** `why`: what the channel answered; '' if it was not asked, because too many emails went out. */
  | { what: 'dropped'; channel: string; notice: StoredNotice; why: string }
)

export function toStory(
  events: readonly LeadEvent[],
  told: { deliveries: readonly Delivery[]; tries: readonly Try[]; opened?: Opened | undefined },
): StoryEntry[] {
  const byId = new Map(told.deliveries.map((delivery) => [delivery.id, delivery]))
  const tries = told.tries.flatMap((each) => {
    const delivery = byId.get(each.deliveryId)
    // `toUnsentEntry` tells of a dropped delivery.
    return delivery === undefined || each.outcome === 'dropped' ? [] : [toTryEntry(delivery, each)]
  })
  const repeats = events.filter(({ kind }) => kind === 'lead.repeated')
  const mayBeMore = new Set(repeats.slice(mostRepeatsNoted - 1))
  const entries = [
    ...events.map((event) => toEventEntry(event, mayBeMore.has(event))),
    ...tries,
    ...told.deliveries.flatMap((delivery) => toUnsentEntry(delivery, told.tries)),
    ...(told.opened ? [{ what: 'opened' as const, ...told.opened }] : []),
  ]
  // The sort is stable, so an event stays before a notice of the same time.
  return gatherRepeats(entries.sort((one, other) => one.at - other.at))
}

function gatherRepeats(entries: readonly StoryEntry[]): StoryEntry[] {
  const gathered: StoryEntry[] = []
  for (const entry of entries) {
    const before = gathered.at(-1)
    if (before !== undefined && isRepeat(before) && isRepeat(entry)) {
      gathered[gathered.length - 1] = { ...entry, times: before.times + 1 }
    } else gathered.push(entry)
  }
  return gathered
}

export type EventEntry = Extract<StoryEntry, { what: 'event' }>

function isRepeat(entry: StoryEntry): entry is EventEntry {
  return entry.what === 'event' && entry.kind === 'lead.repeated'
}

function toEventEntry(event: LeadEvent, orMore: boolean): StoryEntry {
  const { at, kind } = event
  const { by = '', undoes, from: _, was: __, ...rest } = dataOf(event)
  const isUndo = undoes !== undefined
  return { at, what: 'event', kind, by, isUndo, times: 1, orMore, ...rest }
}

function toTryEntry({ channel, kind }: Delivery, { at, outcome, answer }: Try): StoryEntry {
  return { at, what: 'try', channel, notice: kind, outcome, answer }
}

function toUnsentEntry(delivery: Delivery, tries: readonly Try[]): StoryEntry[] {
  const { id, channel, kind: notice, outcome, dueAt, doneAt = dueAt } = delivery
  if (outcome === '') return [{ at: dueAt, what: 'waiting', channel, notice }]
  if (outcome === 'gathered') return [{ at: doneAt, what: 'gathered', channel, notice }]
  if (outcome !== 'dropped') return []
  const last = tries.findLast((each) => each.deliveryId === id && each.outcome === 'dropped')
  return [{ at: doneAt, what: 'dropped', channel, notice, why: last?.answer ?? '' }]
}

/** Opening a lead is no event, because events change the lead's version. */
type Opened = { at: number; by: string }

const idOf = (leadId: string) => `opened ${leadId}`

export async function noteOpened(store: Store, leadId: string, { at, by }: Opened): Promise<void> {
  await store.marks.claim(idOf(leadId), at, { about: by })
}

async function findOpened(store: Store, leadId: string): Promise<Opened | undefined> {
  const found = await store.marks.find(idOf(leadId))
  return found && { at: found.at, by: found.about }
}
