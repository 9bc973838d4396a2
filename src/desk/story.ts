/** What happened to a lead, in the order of time: its events, and each try to tell of it. */
import type { StoredNotice } from '../contract/notices.ts'
import type { EventKind, State } from '../contract/states.ts'
import { moveOf, type LeadEvent } from '../store/events.ts'
import type { Delivery, Try } from '../store/delivery-rows.ts'
import { mostRepeatsNoted } from '../store/keep.ts'
import type { Note } from '../store/notes.ts'
import type { Opened } from './opened.ts'

export type StoryEntry = { at: number } & (
  | {
      what: 'event'
      kind: EventKind
      /** `owner`, `sender`, `retention` or the id of a member; '' where nobody is named. */
      by: string
      from?: State
      to?: State
      /** It took back the move before it. */
      isUndo: boolean
      /** The words of a note; '' where there are none, or they were erased. */
      words: string
      /** Of a run of repeats, whose last this is; 1 of all others. */
      times: number
      /** Further repeats are not noted. */
      orMore: boolean
    }
  | {
      what: 'try'
      channel: string
      notice: StoredNotice
      outcome: string
      answer: string
      ms: number
    }
  /** For the first time, by this member. */
  | { what: 'opened'; by: string }
  /** Still to be sent, or counted in one letter, at this time. */
  | { what: 'waiting' | 'gathered' | 'dropped'; channel: string; notice: StoredNotice }
)

export function toStory(
  events: readonly LeadEvent[],
  told: {
    notes: readonly Note[]
    deliveries: readonly Delivery[]
    tries: readonly Try[]
    opened?: Opened | undefined
  },
): StoryEntry[] {
  const words = new Map(told.notes.map((note) => [note.number, note.words]))
  const byId = new Map(told.deliveries.map((delivery) => [delivery.id, delivery]))
  const tries = told.tries.flatMap((each) => {
    const delivery = byId.get(each.deliveryId)
    return delivery === undefined ? [] : [toTryEntry(delivery, each)]
  })
  const repeats = events.filter(({ kind }) => kind === 'lead.repeated')
  const mayBeMore = new Set(repeats.slice(mostRepeatsNoted - 1))
  const entries = [
    ...events.map((event) =>
      toEventEntry(event, { words: words.get(event.number) ?? '', orMore: mayBeMore.has(event) }),
    ),
    ...tries,
    ...told.deliveries.flatMap(toUnsentEntry),
    ...(told.opened ? [{ what: 'opened' as const, ...told.opened }] : []),
  ]
  // The sort is stable: an event comes before what tells of it.
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

function toEventEntry(
  event: LeadEvent,
  { words, orMore }: Pick<EventEntry, 'words' | 'orMore'>,
): StoryEntry {
  const { from, to, by, undoes } = moveOf(event)
  return {
    at: event.at,
    what: 'event',
    kind: event.kind,
    by: by ?? '',
    isUndo: undoes !== undefined,
    words,
    times: 1,
    orMore,
    ...(from && { from }),
    ...(to && { to }),
  }
}

function toTryEntry({ channel, kind }: Delivery, { at, outcome, answer, ms }: Try): StoryEntry {
  return { at, what: 'try', channel, notice: kind, outcome, answer, ms }
}

function toUnsentEntry({ channel, kind, outcome, dueAt, doneAt }: Delivery): StoryEntry[] {
  if (outcome === '') return [{ at: dueAt, what: 'waiting', channel, notice: kind }]
  if (outcome !== 'gathered' && outcome !== 'dropped') return []
  return [{ at: doneAt ?? dueAt, what: outcome, channel, notice: kind }]
}
