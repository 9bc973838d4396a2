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
  type Next,
  type State,
} from '../contract/states.ts'
import {
  isSameDate,
  isVisitAhead,
  lastMet,
  newsOf,
  nextOf,
  seenVisit,
  visitOf,
} from '../contract/visit.ts'
import { firstNameOf, hasNumber } from '../lead/contact-links.ts'
import { firstOf, isOpen, movesOf, undoableMove } from '../lead/life.ts'
import { dataOf, readEvents, type LeadEvent } from '../store/leads/events.ts'
import type { Lead } from '../store/leads/rows.ts'
import { localTime, toTime24 } from '../time.ts'
import {
  addressIn,
  dayInShort,
  nearDate,
  noNeedDays,
  noNeedUntil,
  ringOffers,
  shortDay,
  sumInWords,
  todoOf,
  visitDays,
  type Offer,
  type Opening,
  type VisitDay,
} from './plan.ts'
import type { StoryEntry } from './story.ts'
import type { WholeLead } from './whole-lead.ts'
import { moveLabel, shortWord } from './words.ts'

export type Choices = {
  stage: Stage
  /** The heading above the outcomes. */
  heading: string
  /** What stands in front. */
  outcomes: readonly MoveChoice[]
  /** Before a visit: what else may have become of the request, which calls the visit off. */
  otherwise: readonly MoveChoice[]
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
  /** Days to ring, or to write, while the page asks when next. */
  offers: readonly Offer[]
  date: DateChoice | undefined
}

/** `date` opens the fields of the next date in place; the others are pressed. */
export type MoveChoice = { label: string } & (
  | { act: 'move'; to: State }
  | { act: 'tried' | 'spoke' | 'date' }
)

/** `said`: the reason that a member gave. */
export type WhyChoice = {
  reasons: readonly { label: string; value: LostReason }[]
  said: LostReason | undefined
}

/** The next date: a visit, or else a day to ring. */
export type DateChoice = {
  /** Whether the day of the visit is asked for, so that the fields are open. */
  isAsked: boolean
  /** The next days to choose from, above the field for any other. */
  days: readonly VisitDay[]
  day: string
  time: string
  place: string
  isShown: boolean
  shownLabel: string
  /** Whether the customer knows of the visit that lies ahead. */
  emailed: string
  /** What the customer hears if the visit is moved or called off. */
  changeHint: string
  /** What the customer hears if the time is kept. */
  keepHint: string
  /** A request that is not booked yet is booked by saving the visit. */
  savedBy: 'book' | 'plan'
  /** What the button says that saves a day to ring; '' before a visit, which it would replace. */
  ring: string
}

export type Chooser = {
  now: number
  opening: Opening
  memberId: string
  /** Whether the inbox has other members, to whom it says who looks after a request. */
  hasColleagues: boolean
  /** Whether the customer gets an email about the visit. */
  mailsVisits: boolean
  /** The visits that are booked, the soonest first. */
  booked: readonly Lead[]
}

export function choicesOf(whole: WholeLead, chooser: Chooser): Choices {
  const stage = stageOf(whole, chooser.now)
  return {
    stage,
    heading: headings[stage],
    ...outcomesOf(whole, stage),
    undo: undoOf(whole, chooser),
    take: takeOf(whole.lead, chooser),
    why: whyOf(whole.lead),
    sum: sumToShow(whole.lead),
    belongs: belongsOf(whole, chooser),
    offers: offersOf(whole, stage, chooser),
    date: dateChoiceOf(whole, stage, chooser),
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

type OutcomeName = State | 'tried' | 'spoke' | 'date'

/** What stands in front at each stage, in this order. */
const inFront: Record<Stage, readonly OutcomeName[]> = {
  judging: ['new', 'spam'],
  talking: ['contacted', 'spoke', 'tried', 'date', 'lost'],
  'visit ahead': [],
  visited: ['proposal_sent', 'won', 'lost', 'date', 'contacted'],
  proposed: ['won', 'lost', 'date'],
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

const endsVisit: readonly OutcomeName[] = ['proposal_sent', 'won', 'lost']

function outcomesOf(whole: WholeLead, stage: Stage) {
  const possible = possibleOf(whole, stage)
  const pick = (names: readonly OutcomeName[]) =>
    names.map((name) => possible.get(name)).filter((outcome) => outcome !== undefined)
  const back = stepBack(whole, stage)
  return {
    outcomes: pick(inFront[stage]),
    otherwise: stage === 'visit ahead' ? pick(endsVisit) : [],
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
  possible.set('date', { act: 'date', label: dateLabel(lead, stage) })
  if (hasNumber(lead)) possible.set('tried', { act: 'tried', label: 'No answer' })
  if (lead.state === 'contacted') {
    possible.set('spoke', { act: 'spoke', label: spokeAgain(lead) })
  }
  return possible
}

/** Opens the fields of a date, of which both kinds can be saved. */
function dateLabel(lead: Lead, stage: Stage): string {
  const ring = hasNumber(lead) ? 'ring' : 'write'
  return stage === 'talking' ? 'Book a visit' : `${capital(ring)} again`
}

function spokeAgain(lead: Lead): string {
  return hasNumber(lead) ? 'Spoke again' : 'Wrote again'
}

function moveOf(lead: Lead, to: State): MoveChoice {
  const isWritten = to === 'contacted' && !hasNumber(lead)
  return { act: 'move', to, label: isWritten ? 'Wrote to them' : moveLabel(lead.state, to) }
}

/** One step back after a slip, unless the undo leads there; a visit is called off instead. */
function stepBack({ lead, events }: WholeLead, stage: Stage): MoveChoice | undefined {
  if (stage === 'judging' || stage === 'visit ahead') return undefined
  if (stage === 'visited' && visitOf(lead) !== undefined) return undefined
  const to = movesOf(lead, events).find((each) => isBack(lead.state, each))
  if (to === undefined || to === undoableMove(events)?.from) return undefined
  return { act: 'move', to, label: `Step back to ${shortWord(to)}` }
}

function mayMail({ values }: Lead, { mailsVisits }: Chooser): boolean {
  return mailsVisits && values.email !== ''
}

function undoOf(whole: WholeLead, chooser: Chooser): Choices['undo'] {
  const { lead, events } = whole
  const last = undoableMove(events)
  const event = events.find(({ number }) => number === last?.number)
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

function visitActInShort(event: LeadEvent): string | undefined {
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

function sumToShow({ state, proposalSum }: Lead): string | undefined {
  if (state !== 'proposal_sent') return undefined
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

/** After a talk, and after a call that nobody answered, until a date is chosen. */
function offersOf(whole: WholeLead, stage: Stage, { now, opening }: Chooser): readonly Offer[] {
  if (stage !== 'talking' || !asksWhen(whole)) return []
  const offers = ringOffers(now, opening)
  // Somebody whom the owner has not reached yet is not put off for a month.
  if (whole.lead.state === 'new') return offers
  return [...offers, { label: `No need: ${noNeedDays} days`, at: noNeedUntil(now, opening) }]
}

function asksWhen({ lead, events }: WholeLead): boolean {
  if (lead.state === 'contacted' && lead.date === undefined) return true
  const last = undoableMove(events)
  return last?.kind === 'lead.tried' && isSameDate(last.was, nextOf(lead))
}

function dateChoiceOf(whole: WholeLead, stage: Stage, chooser: Chooser): DateChoice | undefined {
  const { lead } = whole
  if (!isOpen(lead)) return undefined
  const isBooked = lead.state === 'consultation_booked'
  return {
    isAsked: isBooked && lead.date === undefined,
    days: visitDays(chooser.now, chooser.opening, visitsOfOthers(lead, chooser)),
    ...typedDate(isVisitAhead(lead, chooser.now) ? visitOf(lead) : undefined, chooser.opening),
    place: placeToVisit(whole),
    isShown: lead.isVisitSeen !== false,
    shownLabel: mayMail(lead, chooser)
      ? `Email ${whom(lead)} the time`
      : `Show the time on ${whose(lead)} receipt`,
    emailed: emailedWords(whole, chooser),
    changeHint: changeHint(whole, chooser),
    keepHint: mayMail(lead, chooser)
      ? `Keeping it emails ${whom(lead)} that the time stays.`
      : 'Keeping it sends no email: ring or write to them.',
    savedBy: isBooked ? 'plan' : 'book',
    ring: ringLabel(lead, stage),
  }
}

function ringLabel(lead: Lead, stage: Stage): string {
  if (stage === 'visit ahead') return ''
  if (stage === 'proposed') return 'Follow up then'
  return hasNumber(lead) ? 'Ring then' : 'Write then'
}

/** The visit that is moved leaves its own hour free. */
function visitsOfOthers({ id }: Lead, { booked }: Chooser): number[] {
  return booked.filter((other) => other.id !== id).flatMap((other) => visitOf(other)?.at ?? [])
}

function isEmailed(lead: Lead, chooser: Chooser): boolean {
  return mayMail(lead, chooser) && seenVisit(lead) !== undefined
}

function emailedWords(whole: WholeLead, chooser: Chooser): string {
  const { lead, visitEmails } = whole
  const { now, opening } = chooser
  const told = lastTold(whole, chooser)
  if (!isEmailed(lead, chooser)) {
    if (told === undefined) return 'Not emailed'
    return `${capital(whose(lead))} last email says ${nearDate(told.at, now, opening.timeZone)}`
  }
  const wasEmailed = newsOf(lead, visitEmails, { now }) === undefined
  return wasEmailed ? `Emailed to ${whom(lead)}` : 'Not emailed yet'
}

function changeHint(whole: WholeLead, chooser: Chooser): string {
  const { lead } = whole
  if (isEmailed(lead, chooser)) return `Moving it or calling it off emails ${whom(lead)}.`
  return lastTold(whole, chooser) ? `Calling it off emails ${whom(lead)}.` : ''
}

/** The visit of which the customer would hear that it is off. */
function lastTold({ lead, visitEmails }: WholeLead, chooser: Chooser): { at: number } | undefined {
  if (!mayMail(lead, chooser)) return undefined
  const news = newsOf({ ...lead, date: undefined }, visitEmails, { now: chooser.now })
  return news?.kind === 'off' ? news.before : undefined
}

/** A place that was removed stays removed, unless a street was typed since. */
function placeToVisit(whole: WholeLead): string {
  const { visitPlace, street, values } = whole.lead
  return visitPlace || street || (visitPlace ?? addressIn(values.message, townOf(whole)))
}

function typedDate(visit: Next | undefined, { timeZone }: Opening) {
  if (visit === undefined) return { day: '', time: '' }
  const { date, minute } = localTime(visit.at, timeZone)
  return { day: date, time: toTime24(minute) }
}

/** The town as the customer typed it; for a bare postcode, the area that has it. */
export function townOf({ lead, town }: WholeLead): string {
  const typed = lead.values.postcode
  return /\p{L}/u.test(typed) ? typed : town
}

function whom({ values: { name } }: Lead): string {
  return firstNameOf(name) || 'them'
}

function whose({ values: { name } }: Lead): string {
  const first = firstNameOf(name)
  return first === '' ? 'their' : `${first}'s`
}
