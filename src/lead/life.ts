/**
 * What can become of a lead, in one place. Each function takes a lead, its history and who asks, and
 * returns the change to make, or why there is none. Nothing here reads a clock or the database:
 * `store.leads.apply` makes the change. Which moves there are stands in `contract/states.ts`, whether
 * somebody else was first in `asking.ts`, and who hears of it in `hearing.ts`.
 */
import { isWithin } from '../store/clock.ts'
import { askAgainMs } from '../contract/limits.ts'
import {
  eventOfMove,
  isBack,
  joinableStates,
  maySenderErase,
  maySenderWithdraw,
  movesFrom,
  openStates,
  type EventKind,
  type LostReason,
  type State,
} from '../contract/states.ts'
import { isSameDate, isVisitAhead, nextOf, seenVisit, toDate, visitOf } from '../contract/visit.ts'
import { aboutAsking } from '../store/deliveries/about.ts'
import type { ChangedLead, LeadChange, LeadPart, VisitBefore } from '../store/leads/changes.ts'
import { detailsOf, withDetails, type Details, type DetailsBefore } from '../store/leads/details.ts'
import { dataOf, lastingEvents, type EventData, type LeadEvent } from '../store/leads/events.ts'
import type { Note } from '../store/leads/notes.ts'
import type { Lead } from '../store/leads/rows.ts'
import { minuteMs } from '../time.ts'
import {
  eventsSince,
  hasOldPlace,
  hasSince,
  isOvertaken,
  replacesDate,
  type Asking,
  type VisitDate,
} from './asking.ts'
import { aboutFirst, moveNotices, visitNotices } from './hearing.ts'

export type History = {
  events: readonly LeadEvent[]
  visitBefore: VisitBefore | undefined
  /** The details before each correction, the first one first. */
  detailsBefore: readonly DetailsBefore[]
  notes: readonly Note[]
} & Family

/** The request that the lead is joined with, and the others that are joined with the same. */
export type Family = { first: Lead | undefined; joined: readonly Lead[] }

export type Decision =
  /** `also`: other requests change with it, or nothing changes. */
  | { kind: 'change'; change: LeadChange; also?: readonly ChangedLead[] }
  /** The lead is as it is wanted. */
  | { kind: 'already' }
  | { kind: 'illegal' }
  /** The change would overwrite what somebody did since the page was shown. */
  | { kind: 'overtaken' }

export type Decide = (lead: Lead, history: History) => Decision

/** Moves the lead to a state, with a date if one is given. A lead that is there already gets the date. */
export function move(to: State, date: VisitDate, asking: Asking): Decide {
  return (lead, history) => {
    const { events } = history
    const isThere = lead.state === to
    if (isThere && date.next === undefined) return { kind: 'already' }
    const overwrites = !isThere || replacesDate(lead, eventsSince(events, asking), date)
    if (overwrites && isOvertaken(lead, events, asking)) return { kind: 'overtaken' }
    if (hasOldPlace(lead, events, asking, date)) return { kind: 'overtaken' }
    if (!isThere && !canMove(lead, events, to, date)) return { kind: 'illegal' }
    const lostWhy = lead.state === 'new' && to === 'lost' ? 'no_answer' : undefined
    return withFamily(change(lead, asking, { to, ...date, lostWhy }), lead, history)
  }
}

function canMove(lead: Lead, events: readonly LeadEvent[], to: State, date: VisitDate): boolean {
  // A proposal always has a day to follow up.
  if (to === 'proposal_sent' && date.next === undefined) return false
  return movesOf(lead, events).includes(to)
}

/**
 * Where the lead can be moved now: a step back leads only to where it has been, and a lead of which
 * nobody was reached is lost only after two calls.
 */
export function movesOf(lead: Lead, events: readonly LeadEvent[]): State[] {
  const { state } = lead
  const been = statesOf(lead, events)
  const isUnanswered = unansweredCalls(events) >= callsUntilLost
  return movesFrom[state].filter((to) => {
    if (state === 'new' && to === 'lost') return isUnanswered
    return !isBack(state, to) || been.has(to)
  })
}

const callsUntilLost = 2

/** The states that the lead has been in. Moves that were undone do not count. */
function statesOf({ state }: Lead, events: readonly LeadEvent[]): Set<State | undefined> {
  const made = lastingEvents(events).flatMap(({ from, to }) => [from, to])
  const been = new Set(['new', state, ...made] as const)
  // A customer who is further on the road, with a visit or a proposal, was spoken to.
  if (openStates.some((each) => isBack(each, 'contacted') && been.has(each))) been.add('contacted')
  return been
}

/** Calls that were noted by mistake, and undone, do not count. */
function unansweredCalls(events: readonly LeadEvent[]): number {
  return lastingEvents(events).filter(({ kind }) => kind === 'lead.tried').length
}

/** `tried`: the owner rang, and nobody answered. `spoke`: they spoke again. */
export type Call = 'tried' | 'spoke'

/** Sets or removes the date. A call that nobody answered leaves it. */
export function plan(date: VisitDate & { call?: Call | undefined }, asking: Asking): Decide {
  return (lead, { events }) => {
    const next = date.next ?? (date.call === 'tried' ? nextOf(lead) : undefined)
    // A visit that the sender called off by withdrawing can be put away.
    const removesDate = next === undefined && lead.date !== undefined
    if (!isOpen(lead) && !removesDate) return { kind: 'illegal' }
    // The first talk makes a new lead contacted, which is a move.
    if (date.call === 'spoke' && lead.state === 'new') return { kind: 'illegal' }
    const needsNewest = isCallOrReplaces(lead, eventsSince(events, asking), { ...date, next })
    if (needsNewest && isOvertaken(lead, events, asking)) return { kind: 'overtaken' }
    if (hasOldPlace(lead, events, asking, date)) return { kind: 'overtaken' }
    const kind = date.call === undefined ? 'lead.planned' : (`lead.${date.call}` as const)
    return change(lead, asking, { to: lead.state, ...date, next, kind })
  }
}

/** Who has rung hears first of what a colleague did meanwhile, and may press again. */
function isCallOrReplaces(
  lead: Lead,
  since: readonly LeadEvent[],
  date: VisitDate & { call?: Call | undefined },
): boolean {
  return date.call !== undefined || replacesDate(lead, since, date)
}

/**
 * Joins the lead with `first`, which is of the same person, and from now on stands for both. Requests
 * that were joined with the lead go along.
 */
export function join(first: Lead, asking: Asking): Decide {
  return (lead, { events, joined }) => {
    if (lead.state === 'joined' && lead.joinedTo === first.id) return { kind: 'already' }
    if (isOvertaken(lead, events, asking)) return { kind: 'overtaken' }
    const hasVisit = (visitOf(lead)?.at ?? 0) > asking.at
    const canJoin = joinableStates.includes(lead.state) && isOpen(first) && !hasVisit
    if (!canJoin) return { kind: 'illegal' }
    const along = joined.length === 0 ? undefined : joined.map(({ id }) => id)
    const decision = change(lead, asking, { to: 'joined', joinedTo: first.id, along })
    const others = joined.map((each) => noteJoined(each, asking, first, { joinedTo: first.id }))
    return withAlso(decision, [noteJoined(first, asking, { ...lead, state: 'joined' }), ...others])
  }
}

/** The one that is further on its road or, side by side, the older one. */
export function firstOf(one: Lead, other: Lead): Lead {
  const byRoad = openStates.indexOf(one.state) - openStates.indexOf(other.state)
  if (byRoad !== 0) return byRoad > 0 ? one : other
  return one.id < other.id ? one : other
}

/** A line in the story of a request: `other`, as it is now, was joined with it, or has left it. */
function noteJoined(
  lead: Lead,
  { by, at }: Asking,
  { reference: joined, state: became }: Pick<Lead, 'reference' | 'state'>,
  part: Partial<LeadPart> = {},
): ChangedLead {
  const event = { at, kind: 'lead.joined', data: { by, joined, became } } as const
  return { lead, change: { event, after: { ...lead, ...part }, notices: [] } }
}

function withAlso(decision: Decision, also: readonly ChangedLead[]): Decision {
  return decision.kind === 'change' && also.length > 0 ? { ...decision, also } : decision
}

/** What a change means for the requests that the lead is joined with. */
function withFamily(decision: Decision, lead: Lead, { first, joined }: Family): Decision {
  if (decision.kind !== 'change') return decision
  const { event, after } = decision.change
  const { state } = after
  const asking = { by: event.data.by, at: event.at }
  if (lead.state === 'joined' && first !== undefined) {
    const { along = [] } = event.data
    const back = joined.filter(({ id }) => along.includes(id))
    return withAlso(decision, [
      noteJoined(first, asking, { ...lead, state }),
      ...back.map((each) => noteJoined(each, asking, { ...lead, state }, { joinedTo: lead.id })),
    ])
  }
  if (state !== 'withdrawn' && state !== 'erased') return decision
  const isBySender = asking.by === 'sender'
  const changeOf = (each: Lead) =>
    isBySender ? changeTo(each, asking, { to: 'new' }) : erasureOf(each, asking)
  return withAlso(
    decision,
    joined.map((each) => ({ lead: each, change: changeOf(each) })),
  )
}

/** Takes the last move or date back, and restores everything that it changed. */
export function undo(asking: Asking): Decide {
  return (lead, history) => {
    const { events, visitBefore, detailsBefore } = history
    const last = undoableMove(events)
    // A correction overwrites no move, but the undo would take back the correction instead.
    const isOther = last !== undefined && last.number >= (asking.version ?? lead.version)
    if (isOther || isOvertaken(lead, events, asking)) return { kind: 'overtaken' }
    if (last === undefined) return { kind: 'illegal' }
    const { number: undoes } = last
    if (last.kind === 'lead.corrected') {
      const { details } = detailsBefore.find(({ number }) => number === undoes)!
      return correction(lead, asking, details, undoes)
    }
    const { from: to, was: next, wasLost: lostWhy, along } = last
    // A call is no answer, so the customer may have asked for another time since.
    const askedAt = last.kind === 'lead.tried' ? lead.askedAt : last.wasAsked
    const before = visitBefore?.number === undoes ? visitBefore : undefined
    const undone = change(lead, asking, { to, next, undoes, before, askedAt, lostWhy, along })
    return withFamily(undone, lead, history)
  }
}

/** Replaces the details by those that the owner has typed. What the customer sent is kept beside them. */
export function correct(details: Details, asking: Asking): Decide {
  return (lead, { events }) => {
    if (lead.state === 'erased') return { kind: 'illegal' }
    // Comes first, so that a button pressed twice is not overtaken by its first press.
    if (correctedFields(lead, details).length === 0) return { kind: 'already' }
    if (hasSince(['lead.corrected'], lead, events, asking)) return { kind: 'overtaken' }
    return correction(lead, asking, details)
  }
}

/** What a request lacks, it has from the one that is joined with it. Where both differ, the owner chooses. */
export function fillIn(joined: Lead, asking: Asking): Decide {
  return (lead, history) => {
    const own = Object.entries(detailsOf(lead)).filter(([, text]) => text !== '')
    const details = { ...detailsOf(joined), ...Object.fromEntries(own) }
    return correct(details, asking)(lead, history)
  }
}

function correction(lead: Lead, { by, at }: Asking, details: Details, undoes?: number): Decision {
  const { state } = lead
  const next = nextOf(lead)
  const fields = correctedFields(lead, details)
  const data = { from: state, to: state, by, undoes, next, was: next, fields }
  const event = { at, kind: 'lead.corrected', data } as const
  const after = withDetails(lead, details)
  const notices = visitNotices(lead, after, at)
  return { kind: 'change', change: { event, after, notices, details } }
}

/** The keys are left out, because they only follow the email and the phone number. */
function correctedFields(lead: Lead, details: Details): (keyof Details)[] {
  const before = detailsOf(lead)
  const { emailKey: _, phoneKey: __, ...typed } = details
  const fields = Object.keys(typed) as (keyof typeof typed)[]
  return fields.filter((field) => details[field] !== before[field])
}

/** A lead that moved since the page was opened, and is lost now, may have its reason by that move. */
const givesReason: readonly EventKind[] = ['lead.explained', 'lead.state_changed']

/** Says why the lead was lost. An undo of the move to lost takes this back, too. */
export function explainLost(why: LostReason, asking: Asking): Decide {
  const { by, at } = asking
  return (lead, { events }) => {
    if (lead.state !== 'lost') return { kind: 'illegal' }
    if (lead.lostWhy === why) return { kind: 'already' }
    if (hasSince(givesReason, lead, events, asking)) return { kind: 'overtaken' }
    const event = { at, kind: 'lead.explained', data: { by, why } } as const
    return { kind: 'change', change: { event, after: { ...lead, lostWhy: why }, notices: [] } }
  }
}

/** A job may be won without a proposal. A sum is also kept if it was typed beside "Lost". */
const summedStates: readonly State[] = ['proposal_sent', 'won', 'lost']

/** Says what the proposal or the job comes to; `undefined` removes it. The history does not repeat the number. */
export function sumUp(proposalSum: number | undefined, asking: Asking): Decide {
  const { by, at } = asking
  return (lead, { events }) => {
    if (!summedStates.includes(lead.state)) return { kind: 'illegal' }
    if (lead.proposalSum === proposalSum) return { kind: 'already' }
    if (hasSince(['lead.summed'], lead, events, asking)) return { kind: 'overtaken' }
    const removes = proposalSum === undefined ? true : undefined
    const event = { at, kind: 'lead.summed', data: { by, removes } } as const
    return { kind: 'change', change: { event, after: { ...lead, proposalSum }, notices: [] } }
  }
}

/** Since the owner's last answer, so that nobody fills the inbox. */
const mostAsked = 5

/** The customer asks for another time. The visit stays as it is until the owner changes it. */
export function askForAnotherTime(
  words: string,
  { at }: Pick<Asking, 'at'>,
): (lead: Lead, history: Pick<History, 'events'>) => Decision {
  return (lead, { events }) => {
    const last = events.findLast(({ kind }) => kind === 'lead.asked')
    if (last && isWithin(askAgainMs, last.at, at)) return { kind: 'already' }
    const isSeen = seenVisit(lead) !== undefined && isVisitAhead(lead, at)
    if (!isSeen || askingsToAnswer(events) >= mostAsked) return { kind: 'illegal' }
    const event = { at, kind: 'lead.asked', data: { by: 'sender' } } as const
    const about = aboutAsking.write({ number: lead.version })
    const notices = [{ kind: 'lead.asked', dueAt: at, about } as const]
    const asks: LeadChange = { event, after: { ...lead, askedAt: at }, notices }
    return { kind: 'change', change: words === '' ? asks : { ...asks, note: words } }
  }
}

/** How often the customer has asked since the owner's last answer. A call and an undo are no answers. */
function askingsToAnswer(events: readonly LeadEvent[]): number {
  const isAnswer = (event: LeadEvent) => {
    const { wasAsked, undoes } = dataOf(event)
    return wasAsked !== undefined && undoes === undefined && event.kind !== 'lead.tried'
  }
  const since = events.slice(events.findLastIndex(isAnswer) + 1)
  return since.filter(({ kind }) => kind === 'lead.asked').length
}

/** A member who sends the same words again within this time has pressed the button twice. */
const noteAgainMs = minuteMs

/** A note overwrites nothing, so it is never overtaken. */
export function note(
  words: string,
  { by, at }: Asking,
): (lead: Lead, history: Pick<History, 'notes'>) => Decision {
  return (lead, { notes }) => {
    if (lead.state === 'erased') return { kind: 'illegal' }
    const own = notes.filter((each) => each.memberId === by && each.words === words)
    if (own.some((each) => isWithin(noteAgainMs, each.at, at))) return { kind: 'already' }
    const event = { at, kind: 'lead.noted', data: { by } } as const
    return { kind: 'change', change: { event, after: lead, notices: [], note: words } }
  }
}

/** Changes the note with this number; '' removes it. Only who wrote a note can change it. */
export function changeNote(number: number, words: string, { by, at }: Asking): Decide {
  return (lead, { events }) => {
    const written = events.find((event) => event.number === number && event.kind === 'lead.noted')
    const mayChange = written !== undefined && dataOf(written).by === by
    if (!mayChange || lead.state === 'erased') return { kind: 'illegal' }
    const changes = events.map(dataOf).filter(({ note: changed }) => changed === number)
    const isRemoved = changes.some(({ removes }) => removes)
    // Words typed into a note that was removed in another window must not be lost silently.
    if (isRemoved) return { kind: words === '' ? 'already' : 'overtaken' }
    const removes = words === '' ? true : undefined
    const event = { at, kind: 'lead.note_changed', data: { by, note: number, removes } } as const
    const noteChange = { number, words }
    return { kind: 'change', change: { event, after: lead, notices: [], noteChange } }
  }
}

/** Any member may take over a lead, but only the member who has it can give it back. */
export function take(takenBy: string | undefined, { by, at }: Asking): (lead: Lead) => Decision {
  return (lead) => {
    const mayTake = takenBy !== undefined || lead.takenBy === by
    if (!isOpen(lead) || !mayTake) return { kind: 'illegal' }
    const event = { at, kind: 'lead.taken', data: { by, takenBy } } as const
    return { kind: 'change', change: { event, after: { ...lead, takenBy }, notices: [] } }
  }
}

/** A visit that is still ahead stays with the lead, so that the inbox can show it as called off. */
export function withdraw({ at }: Pick<Asking, 'at'>): (lead: Lead, family: Family) => Decision {
  return (lead, family) => {
    if (lead.state === 'withdrawn') return { kind: 'already' }
    if (!maySenderWithdraw(lead.state)) return { kind: 'illegal' }
    const visit = visitOf(lead)
    const isAhead = visit !== undefined && visit.at > at
    const asking = { by: 'sender', at }
    const next = isAhead ? nextOf(lead) : undefined
    return withFamily(change(lead, asking, { to: 'withdrawn', next }), lead, family)
  }
}

/** The row of the lead stays, emptied, with its events. This cannot be undone, so any change overtakes it. */
export function erase(asking: Asking): (lead: Lead, family: Family) => Decision {
  const { by, version } = asking
  return (lead, family) => {
    if (lead.state === 'erased') return { kind: 'already' }
    if ((version ?? lead.version) !== lead.version) return { kind: 'overtaken' }
    if (by === 'sender' && !maySenderErase(lead.state)) return { kind: 'illegal' }
    return withFamily({ kind: 'change', change: erasureOf(lead, asking) }, lead, family)
  }
}

function erasureOf(lead: Lead, { by, at }: Asking): LeadChange {
  const isTakenBack = by === 'sender' && (isOpen(lead) || lead.state === 'joined')
  const data = { from: lead.state, to: 'erased', by, was: nextOf(lead) } as const
  return {
    event: { at, kind: 'lead.erased', data },
    after: { ...nothing, state: 'erased', stateChangedAt: at },
    notices: isTakenBack ? [{ kind: 'lead.withdrawn', dueAt: at, ...aboutFirst(lead) }] : [],
    erases: true,
  }
}

const nothing = {
  date: undefined,
  visitPlace: '',
  isVisitSeen: undefined,
  takenBy: undefined,
  lostWhy: undefined,
  proposalSum: undefined,
  askedAt: undefined,
  joinedTo: '',
}

export function isOpen({ state }: Lead): boolean {
  return openStates.includes(state)
}

/** Undoing restores the state `from` and the date `was`. */
export type UndoableMove = { number: number; kind: EventKind; from: State } & Pick<
  EventData,
  'was' | 'wasAsked' | 'wasLost' | 'along'
>

export function undoableMove(events: readonly LeadEvent[]): UndoableMove | undefined {
  const last = events.findLast((event) => dataOf(event).from !== undefined)
  if (last === undefined || finalKinds.includes(last.kind)) return undefined
  const { from, to, undoes, was, wasAsked, wasLost, along } = dataOf(last)
  // A request that was taken apart is joined again by the button that joined it.
  const isTakenApart = from === 'joined' && to !== 'joined'
  if (from === undefined || isTakenApart || undoes !== undefined) return undefined
  return { number: last.number, kind: last.kind, from, was, wasAsked, wasLost, along }
}

const finalKinds: readonly EventKind[] = ['lead.withdrawn', 'lead.erased']

type Wanted = VisitDate & {
  to: State
  undoes?: number
  /** What an undo restores, if the undone event changed the place or whether it is shown. */
  before?: VisitBefore | undefined
  kind?: 'lead.planned' | `lead.${Call}`
  /** When the customer asked for another time, if an undo restores that. */
  askedAt?: number | undefined
  lostWhy?: LostReason | undefined
  joinedTo?: string
  /** The requests that go along when the lead is joined, and come back with an undo. */
  along?: readonly string[] | undefined
}

function change(lead: Lead, asking: Asking, wanted: Wanted): Decision {
  const made = changeTo(lead, asking, wanted)
  const { event, after } = made
  // A button pressed twice changes nothing, so that undo takes the first press back.
  const isPlanned = event.kind === 'lead.planned' && wanted.undoes === undefined
  const isSame = hasSameDate(lead, after) && hasSamePlace(lead, after)
  return isPlanned && isSame ? { kind: 'already' } : { kind: 'change', change: made }
}

function changeTo(lead: Lead, { by, at }: Asking, wanted: Wanted): LeadChange {
  const { to, next, undoes, along } = wanted
  const isMove = to !== lead.state
  const kind = isMove ? eventOfMove(lead.state, to) : (wanted.kind ?? 'lead.planned')
  const after = { ...lead, ...afterwards(lead, at, wanted) }
  const { askedAt: wasAsked, lostWhy: wasLost } = lead
  const was = nextOf(lead)
  const data = { from: lead.state, to, by, undoes, next, was, wasAsked, wasLost, along }
  const isAnswer = undoes === undefined && after.askedAt === undefined
  const answers = isAnswer ? wasAsked : undefined
  const made: LeadChange = {
    event: { at, kind, data },
    after,
    notices: [...moveNotices(lead, to, at), ...visitNotices(lead, after, at, answers)],
    freesContent: to === 'withdrawn',
    blocks: blocksOf(lead, wanted),
  }
  if (hasSamePlace(lead, after)) return made
  return { ...made, visitBefore: undoes === undefined ? 'keep' : 'forget' }
}

/** The owner may keep the date as the answer to a customer who asked for another time. */
function hasSameDate(lead: Lead, after: LeadPart): boolean {
  return isSameDate(lead.date, after.date) && lead.askedAt === after.askedAt
}

function hasSamePlace(lead: Lead, { visitPlace, isVisitSeen }: LeadPart): boolean {
  return lead.visitPlace === visitPlace && lead.isVisitSeen === isVisitSeen
}

/** Marking as spam blocks the email and the phone number, until the owner releases a lead that has them. */
function blocksOf({ state, judgement }: Lead, { to, undoes }: Wanted): LeadChange['blocks'] {
  if (to === state || to === 'withdrawn') return undefined
  // The release that is undone had allowed a blocked sender.
  const isHeldAgain = to === 'held' && state !== 'spam' && judgement.reasons.includes('blocked')
  if (to === 'spam' || isHeldAgain) return 'add'
  if (state !== 'spam' && state !== 'held') return undefined
  return undoes === undefined ? 'allow' : 'take back'
}

/**
 * Every move and date ends the asking for another time, except a call that nobody answered. The
 * customer is mailed that the visit stays only if it is the same; if it went, that it is off.
 */
function afterwards(lead: Lead, at: number, wanted: Wanted): LeadPart {
  const { to, next, place, shown, before, joinedTo = '' } = wanted
  const visitPlace = before ? before.visitPlace : (place ?? lead.visitPlace)
  const isVisitSeen = before ? before.isVisitSeen : (shown ?? lead.isVisitSeen)
  return {
    state: to,
    stateChangedAt: to === lead.state ? lead.stateChangedAt : at,
    date: toDate(next, { visitPlace, isVisitSeen }),
    visitPlace,
    isVisitSeen,
    takenBy: lead.takenBy,
    lostWhy: wanted.lostWhy,
    proposalSum: lead.proposalSum,
    joinedTo,
    askedAt: wanted.kind === 'lead.tried' ? lead.askedAt : wanted.askedAt,
  }
}
