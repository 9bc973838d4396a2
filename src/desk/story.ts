/** What happened to a lead: its events and deliveries in the order of time, each as a sentence. */
import { channels, isOwnChannel, type LeadNoticeKind } from '../contract/notices.ts'
import {
  lostReasons,
  stateWords,
  type EventKind,
  type Next,
  type State,
} from '../contract/states.ts'
import { isSameDate } from '../contract/visit.ts'
import { byRetention } from '../lead/retention.ts'
import type { Lead } from '../store/leads/rows.ts'
import type { Delivery, Try } from '../store/deliveries/rows.ts'
import { dataOf, type EventData, type LeadEvent } from '../store/leads/events.ts'
import { mostRepeatsNoted } from '../store/leads/keep.ts'
import { detailNames } from './details.ts'
import { todoOf, todoWords } from './plan.ts'
import type { NameOf } from './words.ts'

export type StoryEntry = { at: number } & (
  | (Omit<EventData, 'by' | 'undoes'> & {
      what: 'event'
      kind: EventKind
      /** `owner`, `sender`, `retention` or the id of a member; '' if the event names nobody. */
      by: string
      isUndo: boolean
      /** Repeats in a row are one entry, which counts them. */
      times: number
      /** Only the first `mostRepeatsNoted` repeats are noted, so there may have been more. */
      orMore: boolean
    })
  | { what: 'try'; channel: string; notice: LeadNoticeKind; outcome: string; answer: string }
  | { what: 'opened'; by: string }
  /** `gathered`: the notice was not sent, but a later email counts it. */
  | { what: 'waiting' | 'gathered'; channel: string; notice: LeadNoticeKind }
  /** `why`: what the channel answered; '' if it was not asked, because too many emails went out. */
  | { what: 'dropped'; channel: string; notice: LeadNoticeKind; why: string }
)

type EventEntry = Extract<StoryEntry, { what: 'event' }>

/** Opening a lead is no event, because events change the lead's version. */
export type Opened = { at: number; by: string }

export function toStory(
  events: readonly LeadEvent[],
  sent: { deliveries: readonly Delivery[]; tries: readonly Try[]; opened?: Opened | undefined },
): StoryEntry[] {
  const byId = new Map(sent.deliveries.map((delivery) => [delivery.id, delivery]))
  const tries = sent.tries.flatMap((each) => {
    const delivery = byId.get(each.deliveryId)
    // `toUnsentEntry` has the dropped deliveries.
    return delivery === undefined || each.outcome === 'dropped' ? [] : [toTryEntry(delivery, each)]
  })
  const repeats = events.filter(({ kind }) => kind === 'lead.repeated')
  const mayBeMore = new Set(repeats.slice(mostRepeatsNoted - 1))
  const entries = [
    ...events.map((event) => toEventEntry(event, mayBeMore.has(event))),
    ...tries,
    ...sent.deliveries.flatMap((delivery) => toUnsentEntry(delivery, sent.tries)),
  ]
  if (sent.opened) entries.push({ what: 'opened', ...sent.opened })
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

function isRepeat(entry: StoryEntry): entry is EventEntry {
  return entry.what === 'event' && entry.kind === 'lead.repeated'
}

function toEventEntry(event: LeadEvent, orMore: boolean): StoryEntry {
  const { at, kind } = event
  const { by = '', undoes, ...rest } = dataOf(event)
  const isUndo = undoes !== undefined
  return { at, what: 'event', kind, by, isUndo, times: 1, orMore, ...rest }
}

function toTryEntry(delivery: Delivery, { at, outcome, answer }: Try): StoryEntry {
  const { channel } = delivery
  return { at, what: 'try', channel, notice: noticeOf(delivery), outcome, answer }
}

function toUnsentEntry(delivery: Delivery, tries: readonly Try[]): StoryEntry[] {
  const { id, channel, outcome, dueAt, doneAt = dueAt } = delivery
  const notice = noticeOf(delivery)
  // Whether an email about a visit is needed is decided when it leaves; until then nothing has happened.
  if (outcome === '' && notice === 'lead.visit') return []
  if (outcome === '') return [{ at: dueAt, what: 'waiting', channel, notice }]
  if (outcome === 'gathered') return [{ at: doneAt, what: 'gathered', channel, notice }]
  if (outcome !== 'dropped') return []
  const last = tries.findLast((each) => each.deliveryId === id && each.outcome === 'dropped')
  return [{ at: doneAt, what: 'dropped', channel, notice, why: last?.answer ?? '' }]
}

/** Every delivery of a lead is about it. */
function noticeOf({ kind }: Delivery): LeadNoticeKind {
  return kind as LeadNoticeKind
}

/** The reason why an email was dropped, by the answer of the channel. */
const whyDropped = new Map([
  ['', 'too many emails went out in that hour'],
  ['one a day', 'a customer gets at most one email a day about requests'],
  ['no device', 'no phone is added'],
])

export type StoryContext = {
  when: (at: number) => string
  nameOf: NameOf
  /** How the request came in, such as "the form". */
  cameBy: string
  whyHeld: readonly string[]
  /** The lead as it is now. */
  lead: Lead
}

export function inSentence(entry: StoryEntry, context: StoryContext): string {
  switch (entry.what) {
    case 'event': {
      const { who, did, more } = acts[entry.kind](entry, context)
      return sentences(`${who} ${did}.`, more)
    }
    case 'opened':
      return `${context.nameOf(entry.by)} opened it first.`
    case 'try':
      return `${noticeName(entry)}: ${tryOutcome(entry)}.`
    case 'waiting':
      return `${noticeName(entry)}: waiting to be sent.`
    case 'gathered':
      return `${noticeName(entry)}: not sent; counted in the hourly summary.`
    case 'dropped':
      return `${noticeName(entry)}: not sent, because ${whyDropped.get(entry.why) ?? 'it was not needed any more'}.`
  }
}

/** Who did what, without a full stop: "Kim", "took this on". `more`: further whole sentences. */
type Told = { who: string; did: string; more?: string | undefined }

export function lastChange(
  story: readonly StoryEntry[],
  context: StoryContext,
): (Pick<Told, 'who' | 'did'> & { at: number }) | undefined {
  const events = story.filter((entry) => entry.what === 'event')
  const last = events.findLast(({ kind }) => kind !== 'lead.repeated')
  return last && { ...acts[last.kind](last, context), at: last.at }
}

const acts: Record<EventKind, (entry: EventEntry, context: StoryContext) => Told> = {
  'lead.received': ({ by }, { nameOf, cameBy }) =>
    by === ''
      ? { who: 'It', did: `came in by ${cameBy}` }
      : { who: nameOf(by), did: 'added it after a call' },
  'lead.held': (_, { cameBy, whyHeld }) => {
    const why = whyHeld.join('; ') || 'it looked like spam'
    return { who: 'It', did: `came in by ${cameBy}, and was held: ${why}` }
  },
  'lead.repeated': ({ times, orMore }) => {
    const again = times === 1 ? 'once more' : `again, ${times} times so far`
    return { who: 'It', did: `was sent ${again}${orMore ? '; further times are not listed' : ''}` }
  },
  'lead.noted': ({ by }, { nameOf }) => ({ who: nameOf(by), did: 'wrote a note' }),
  'lead.tried': (entry, context) => ({
    who: context.nameOf(entry.by),
    did: 'rang, and nobody answered',
    // A call leaves the date as it is.
    more: isSameDate(entry.next, entry.was) ? undefined : dateTold(entry, context),
  }),
  'lead.spoke': (entry, context) => ({
    who: context.nameOf(entry.by),
    did: 'spoke to them again',
    more: dateTold(entry, context),
  }),
  'lead.planned': (entry, context) => ({
    who: context.nameOf(entry.by),
    ...planOf(entry, dateTold(entry, context)),
  }),
  'lead.taken': ({ by, takenBy }, { nameOf }) => ({
    who: nameOf(by),
    did: takenBy ? 'took this on' : 'handed it back',
  }),
  'lead.erased': ({ by }, { nameOf }) =>
    by === byRetention
      ? { who: 'It', did: 'was erased automatically, after the time that is set' }
      : { who: nameOf(by), did: 'erased it' },
  'lead.withdrawn': ({ next }, { when }) => ({
    who: 'The customer',
    did: 'withdrew it',
    more: next && `The visit is off: ${when(next.at)}.`,
  }),
  'lead.corrected': ({ by, fields = [], isUndo }, { nameOf }) => ({
    who: nameOf(by),
    did: isUndo ? 'undid the correction' : `corrected the details: ${detailNames(fields)}`,
  }),
  'lead.note_changed': ({ by, removes }, { nameOf }) => ({
    who: nameOf(by),
    did: removes ? 'removed a note' : 'changed a note',
  }),
  'lead.explained': ({ by, why }, { nameOf }) => ({
    who: nameOf(by),
    did: `said why it was lost: ${why ? lostReasons[why] : 'no reason'}`,
  }),
  'lead.summed': ({ by, removes }, { nameOf }) => ({
    who: nameOf(by),
    did: removes ? 'removed the sum' : 'noted the sum',
  }),
  'lead.asked': () => ({ who: 'The customer', did: 'asked for another time' }),
  'lead.joined': ({ by, joined = '', became = 'joined' }, { nameOf }) => ({
    who: nameOf(by),
    did: `${joinedWords[became] ?? 'took apart'} request ${joined}`,
  }),
  'lead.released': ({ by }, { nameOf }) => ({ who: nameOf(by), did: 'released it' }),
  'lead.state_changed': (entry, context) => ({
    who: context.nameOf(entry.by),
    ...moveTold(entry, context),
  }),
}

function planOf(entry: EventEntry, date: string | undefined): Omit<Told, 'who'> {
  const noDate = entry.was && 'There is no date any more.'
  if (entry.isUndo) return { did: 'undid that', more: date ?? noDate }
  const isKept = entry.wasAsked !== undefined && entry.was?.at === entry.next?.at
  if (isKept) return { did: 'kept the time', more: date }
  return { did: date ? 'set a date' : 'removed the date', more: date }
}

/** What became of a request that was joined with this one. */
const joinedWords: Partial<Record<State, string>> = {
  joined: 'joined it with',
  withdrawn: 'withdrew the joined',
  erased: 'erased the joined',
}

function apartOf(by: string): Omit<Told, 'who'> {
  if (by !== 'sender') return { did: 'took it apart' }
  return { did: 'took back the request that it was joined with', more: 'So it is new again.' }
}

function moveTold(entry: EventEntry, context: StoryContext): Omit<Told, 'who'> {
  const { from, to, by, was, isUndo } = entry
  const state = to === undefined ? 'something else' : stateWords[to]
  if (isUndo) return { did: `undid the last move: ${state} again` }
  if (to === 'joined') return { did: 'joined it with another request' }
  if (from === 'joined') return apartOf(by)
  const date = dateTold(entry, context)
  const isCalledOff = from === 'consultation_booked' && to === 'contacted'
  if (isCalledOff && was?.what === 'visit') {
    return { did: `${callingOff(entry, was)}: ${context.when(was.at)}`, more: date }
  }
  return { did: `marked it ${state}`, more: date }
}

function callingOff({ at }: EventEntry, was: Next): string {
  return was.at > at ? 'called off the visit' : 'said that the visit did not happen'
}

function dateTold(entry: EventEntry, { when, lead }: StoryContext): string | undefined {
  const { next, to = lead.state } = entry
  return next && `${todoWords[todoOf(next, { ...lead, state: to }).what]}: ${when(next.at)}.`
}

function sentences(...all: readonly (string | undefined)[]): string {
  return all.filter(Boolean).join(' ')
}

function noticeName({ channel, notice }: { channel: string; notice: LeadNoticeKind }): string {
  const words = isOwnChannel(channel)
    ? channels[channel].inStory
    : `${channels.webhook.inStory} to ${channel}`
  return `${words} about ${noticeWords[notice]}`
}

const noticeWords: Record<LeadNoticeKind, string> = {
  'lead.received': 'the request',
  'lead.released': 'the release',
  'lead.state_changed': 'the move',
  'lead.withdrawn': 'the withdrawal',
  'lead.visit': 'the visit',
  'lead.asked': 'the wish for another time',
}

function tryOutcome({ outcome, answer }: { outcome: string; answer: string }): string {
  const words = outcomes.get(outcome) ?? outcome.replaceAll('-', ' ')
  return answer === '' || outcome === 'delivered' ? words : `${words} (${answer})`
}

const outcomes = new Map([
  ['delivered', 'sent'],
  ['answered', 'answered with an error'],
  ['refused', 'refused for good'],
])
