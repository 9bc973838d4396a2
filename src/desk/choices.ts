/** What a member can do with a request now, as data. The page of the request draws it. */
import { capital } from '../words.ts'
import { senderMail } from '../contract/notices.ts'
import {
  isBack,
  joinableStates,
  lostReasons,
  stageIn,
  type EventKind,
  type LostReason,
  type State,
} from '../contract/states.ts'
import { isSameDate, isVisitAhead, lastMet, nextOf, visitOf } from '../contract/visit.ts'
import { firstNameOf, hasNumber } from '../lead/contact-links.ts'
import { firstOf, isOpen, movesOf, undoableMove } from '../lead/life.ts'
import { dataOf, readEvents, type LeadEvent } from '../store/leads/events.ts'
import type { Lead } from '../store/leads/rows.ts'
import { dayMs, partsOf } from '../time.ts'
import {
  dayInShort,
  nearDate,
  noNeedDays,
  noNeedUntil,
  ringOffers,
  shortDay,
  sumInWords,
  todoOf,
  type Offer,
} from './plan.ts'
import type { StoryEntry } from './story.ts'
import {
  placeToVisit,
  savedBy,
  visitChoiceOf,
  whom,
  type Chooser,
  type SavedBy,
  type VisitChoice,
} from './visit-choice.ts'
import type { WholeLead } from './whole-lead.ts'
import { moveLabel, shortWord } from './words.ts'

export type Choices = {
  stage: Stage
  /** The heading above the outcomes. */
  heading: string
  /** What stands in front. */
  outcomes: readonly MoveChoice[]
  /** The rare acts, behind one fold. */
  more: readonly MoveChoice[]
  undo: string | undefined
  take: { label: string; value: 'me' | 'none' } | undefined
  /** Why a lost request was lost, which nobody needs to say. */
  why: WhyChoice | undefined
  /** What the proposal comes to, which nobody needs to say; '' if nobody has. */
  sum: string | undefined
  /** The person's open request that this one may belong to. */
  belongs: { words: string; leadId: string } | undefined
  /** The next day to ring or to write, if the page asks for one. */
  ring: RingChoice | undefined
  /** The fields of a visit. */
  visit: VisitChoice | undefined
}

/** `visit` and `ring` open their fields in place; the others are pressed. */
export type MoveChoice = { label: string } & (
  | { act: 'move'; to: State }
  | { act: 'tried' | 'spoke' | 'visit' | 'ring' }
)

export type RingChoice = {
  offers: readonly Offer[]
  /** What the button says that saves any other day. */
  label: string
  /** After a visit the same day can be that of another one. */
  again: VisitAgain | undefined
}

/** Another visit at the same place. */
export type VisitAgain = { savedBy: SavedBy; place: string; isShown: boolean }

/** `said`: the reason that a member gave. */
export type WhyChoice = {
  reasons: readonly { label: string; value: LostReason }[]
  said: LostReason | undefined
}

export function choicesOf(whole: WholeLead, chooser: Chooser): Choices {
  const stage = stageOf(whole, chooser.now)
  const hasVisit = stage === 'talking' || stage === 'visit ahead'
  return {
    stage,
    heading: headings[stage],
    ...outcomesOf(whole, stage, chooser.now),
    undo: undoOf(whole, chooser),
    take: takeOf(whole.lead, chooser),
    why: whyOf(whole.lead),
    sum: sumToShow(whole.lead),
    belongs: belongsOf(whole, chooser),
    ring: ringOf(whole, stage, chooser),
    visit: hasVisit ? visitChoiceOf(whole, chooser) : undefined,
  }
}

/** `visited`: the visit has begun or taken place, whatever date the request has since. */
export type Stage = (typeof stageIn)[State] | 'visit ahead'

function stageOf({ lead, events }: WholeLead, now: number): Stage {
  const stage = stageIn[lead.state]
  if (stage !== 'visited') return stage
  if (isVisitAhead(lead, now)) return 'visit ahead'
  const isMet = visitOf(lead) ?? lastMet(lead, readEvents(events), now)
  return isMet === undefined ? 'talking' : 'visited'
}

export function isJudged({ state }: Lead): boolean {
  return stageIn[state] === 'judging'
}

const headings: Record<Stage, string> = {
  judging: 'Is this a real request?',
  talking: 'Outcome',
  'visit ahead': 'The visit',
  visited: 'Outcome of the visit',
  proposed: 'Outcome of the proposal',
  closed: 'Closed',
}

type OutcomeName = State | 'tried' | 'spoke' | 'visit' | 'ring'

/** What stands in front at each stage, in this order. */
const inFront: Record<Stage, readonly OutcomeName[]> = {
  judging: ['new', 'spam'],
  talking: ['contacted', 'spoke', 'tried', 'visit', 'lost'],
  'visit ahead': [],
  visited: ['proposal_sent', 'won', 'lost', 'contacted', 'ring'],
  proposed: ['won', 'lost', 'ring'],
  closed: [],
}

const behindMore: Record<Stage, readonly OutcomeName[]> = {
  judging: [],
  talking: ['proposal_sent', 'not_suitable', 'spam'],
  'visit ahead': [],
  visited: ['not_suitable'],
  proposed: [],
  closed: [],
}

/** The buttons that a form sends. */
type SentButton = {
  plan?: string | undefined
  to?: string | undefined
  book?: string | undefined
  ring?: number | undefined
  join?: string | undefined
}

/** Whether the page still has the button that was pressed. */
export function isOffered(choices: Choices, { plan, to, book, ring, join }: SentButton): boolean {
  if (book !== undefined || plan === 'visit') {
    return choices.visit !== undefined || choices.ring?.again !== undefined
  }
  if (ring !== undefined || plan === 'ring') return choices.ring !== undefined
  if (join !== undefined) return choices.belongs !== undefined
  const pressed = plan ?? to
  const all = [...choices.outcomes, ...choices.more]
  const sends = (each: MoveChoice) => (each.act === 'move' ? each.to : each.act)
  return pressed === undefined || all.some((each) => sends(each) === pressed)
}

function outcomesOf(whole: WholeLead, stage: Stage, now: number) {
  const possible = possibleOf(whole, stage)
  const pick = (names: readonly OutcomeName[]) =>
    names.map((name) => possible.get(name)).filter((outcome) => outcome !== undefined)
  const back = stepBack(whole, stage, now)
  return {
    outcomes: pick(inFront[stage]),
    more: [...pick(behindMore[stage]), ...(back === undefined ? [] : [back])],
  }
}

function possibleOf({ lead, events }: WholeLead, stage: Stage): Map<OutcomeName, MoveChoice> {
  const isBegun = stage === 'visited' && visitOf(lead) !== undefined
  const moves = movesOf(lead, events).filter((to) => stage === 'judging' || !isBack(lead.state, to))
  const possible = new Map<OutcomeName, MoveChoice>(moves.map((to) => [to, moveOf(lead, to)]))
  // "Booked" without a day says nothing, so a visit is booked by its fields.
  possible.delete('consultation_booked')
  if (isBegun) {
    possible.set('contacted', { act: 'move', to: 'contacted', label: 'The visit did not happen' })
  }
  if (!isOpen(lead)) return possible
  possible.set('visit', { act: 'visit', label: 'Book a visit' })
  possible.set('ring', { act: 'ring', label: `${capital(ringWord(lead))} or visit again` })
  if (hasNumber(lead)) possible.set('tried', { act: 'tried', label: 'No answer' })
  if (lead.state === 'contacted') {
    possible.set('spoke', { act: 'spoke', label: spokeAgain(lead) })
  }
  return possible
}

function ringWord(lead: Lead): string {
  return hasNumber(lead) ? 'ring' : 'write'
}

function spokeAgain(lead: Lead): string {
  return hasNumber(lead) ? 'Spoke again' : 'Wrote again'
}

function moveOf(lead: Lead, to: State): MoveChoice {
  const isWritten = to === 'contacted' && !hasNumber(lead)
  return { act: 'move', to, label: isWritten ? 'Wrote to them' : moveLabel(lead.state, to) }
}

/** One step back after a slip, unless the undo leads there; a visit is called off instead. */
function stepBack({ lead, events }: WholeLead, stage: Stage, now: number): MoveChoice | undefined {
  if (stage === 'judging' || stage === 'visit ahead') return undefined
  if (stage === 'visited' && visitOf(lead) !== undefined) return undefined
  const to = movesOf(lead, events).find((each) => isBack(lead.state, each))
  const last = undoableEvent(events, now)
  if (to === undefined || (last && to === dataOf(last).from)) return undefined
  return { act: 'move', to, label: `Step back to ${shortWord(to)}` }
}

/** An undo is looked for within a day. Later the page offers one step back, behind More. */
const undoSoughtMs = dayMs

function undoableEvent(events: readonly LeadEvent[], now: number): LeadEvent | undefined {
  const last = undoableMove(events)
  return events.find(({ number, at }) => number === last?.number && now - at < undoSoughtMs)
}

function undoOf(whole: WholeLead, chooser: Chooser): Choices['undo'] {
  const { lead, events } = whole
  const event = undoableEvent(events, chooser.now)
  if (event === undefined) return undefined
  const mailed = isMailed(whole, event, chooser) ? ` and email ${whom(lead)} again` : ''
  return `Undo: "${actInShort(event, lead, chooser)}"${mailed}`
}

/** Whether an email about the new time of the visit has gone, so that the undo sends another one. */
function isMailed({ story }: WholeLead, event: LeadEvent, { now }: Chooser): boolean {
  const { next, was } = dataOf(event)
  const isOther = next?.at !== was?.at
  const isAhead = [next, was].some((date) => date?.what === 'visit' && date.at > now)
  return isOther && isAhead && story.some((entry) => isVisitEmail(entry) && entry.at > event.at)
}

function isVisitEmail(entry: StoryEntry): boolean {
  if (entry.what !== 'try' || entry.outcome !== 'delivered') return false
  return entry.channel === senderMail && entry.notice === 'lead.visit'
}

const shortNames: Partial<Record<EventKind, string>> = {
  'lead.tried': 'no answer',
  'lead.corrected': 'details corrected',
}

function actInShort(event: LeadEvent, lead: Lead, { now, opening }: Chooser): string {
  const { from = 'new', to = from, next } = dataOf(event)
  if (event.kind === 'lead.spoke') return spokeAgain(lead).toLowerCase()
  const named = shortNames[event.kind] ?? visitActInShort(event)
  if (named !== undefined) return named
  const isProposal = from !== to && to === 'proposal_sent'
  if (next !== undefined && !isProposal) {
    return dayInShort(todoOf(next, { ...lead, state: to }), now, opening.timeZone)
  }
  return from === to ? 'date removed' : moveOf({ ...lead, state: from }, to).label.toLowerCase()
}

/** What an act made of a visit: "called off". */
export function visitActInShort(event: LeadEvent): string | undefined {
  const { from, to, next, was } = dataOf(event)
  if (was?.what !== 'visit') return undefined
  if (isSameDate(next, was)) return 'kept the time'
  if (from !== 'consultation_booked' || to !== 'contacted') return undefined
  return was.at > event.at ? 'called off' : 'did not happen'
}

function takeOf(lead: Lead, { memberId, hasColleagues }: Chooser): Choices['take'] {
  if (!isOpen(lead)) return undefined
  if (lead.takenBy === memberId) return { label: 'Hand it back', value: 'none' }
  if (!hasColleagues) return undefined
  return { label: "I'll look after this", value: 'me' }
}

function whyOf({ state, lostWhy }: Lead): WhyChoice | undefined {
  if (state !== 'lost') return undefined
  const reasons = Object.entries(lostReasons) as [LostReason, string][]
  return {
    reasons: reasons.map(([value, words]) => ({ value, label: capital(words) })),
    said: lostWhy,
  }
}

/** A job that is won has a sum, too, with a proposal or without. */
function sumToShow({ state, proposalSum }: Lead): string | undefined {
  if (state !== 'proposal_sent' && state !== 'won') return undefined
  return proposalSum === undefined ? '' : sumInWords(proposalSum)
}

/** Anybody can type anybody's email or number, so only a member joins requests. */
function belongsOf({ lead, ofPerson, others }: WholeLead, chooser: Chooser): Choices['belongs'] {
  if (!joinableStates.includes(lead.state)) return undefined
  const isKnown = ({ emailKey, phoneKey }: Lead) =>
    (emailKey !== '' && emailKey === lead.emailKey) ||
    (phoneKey !== '' && phoneKey === lead.phoneKey)
  const known = ofPerson.filter(isKnown).map(({ id, joinedTo }) => joinedTo || id)
  const open = others.filter((other) => isOpen(other) && known.includes(other.id))
  if (open.length === 0) return undefined
  const first = open.reduce<Lead>(firstOf, lead)
  return first === lead ? undefined : { leadId: first.id, words: openRequest(first, chooser) }
}

/** "Wendy has an open request of 2 Nov, booked Thu 3 pm". */
function openRequest(lead: Lead, { now, opening }: Chooser): string {
  const { timeZone } = opening
  const who = firstNameOf(lead.values.name) || 'This person'
  const day = shortDay(lead.receivedAt, { now, timeZone })
  const visit = isVisitAhead(lead, now) ? ` ${nearDate(lead.date!.at, now, timeZone)}` : ''
  return `${who} has an open request of ${day}, ${shortWord(lead.state)}${visit}`
}

function ringOf(whole: WholeLead, stage: Stage, chooser: Chooser): RingChoice | undefined {
  const { lead } = whole
  const { now, opening } = chooser
  const offers = ringOffers(now, opening)
  const then = `${capital(ringWord(lead))} then`
  if (stage === 'talking' && asksWhen(whole)) {
    // Somebody whom the owner has not reached yet is not put off for a month.
    const noNeed = { label: `No need: ${noNeedDays} days`, at: noNeedUntil(now, opening) }
    const all = lead.state === 'new' ? offers : [...offers, noNeed]
    return { offers: all, label: then, again: undefined }
  }
  if (stage !== 'visited' && stage !== 'proposed') return undefined
  const place = placeToVisit(whole)
  return {
    offers: offers.filter(({ at }) => daysAhead(at, chooser) > 0),
    label: stage === 'proposed' ? 'Follow up then' : then,
    again: { savedBy: savedBy(lead), place, isShown: lead.isVisitSeen !== false },
  }
}

function daysAhead(at: number, { now, opening }: Chooser): number {
  return partsOf(at, opening.timeZone, now).daysAhead
}

/** After a talk, or a call that nobody answered, the page asks when next, until a date is chosen. */
function asksWhen({ lead, events }: WholeLead): boolean {
  if (lead.state === 'contacted' && lead.date === undefined) return true
  const last = undoableMove(events)
  return last?.kind === 'lead.tried' && isSameDate(last.was, nextOf(lead))
}
