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
  asksForAnotherTime,
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
import { dayMs, localTime, partsOf, toTime24 } from '../time.ts'
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

/** A request that is not booked yet is booked by saving the visit. */
export type SavedBy = 'book' | 'plan'

/** `said`: the reason that a member gave. */
export type WhyChoice = {
  reasons: readonly { label: string; value: LostReason }[]
  said: LostReason | undefined
}

export type VisitChoice = {
  /** Whether the day of the visit is asked for, so that the fields are open. */
  isAsked: boolean
  /** The next days to choose from, above the field for any other. */
  days: readonly VisitDay[]
  day: string
  time: string
  place: string
  isShown: boolean
  /** Asks whether the customer may see the time; '' if the customer knows of the visit already, or sees nothing. */
  shownLabel: string
  /** Whether the customer knows of the visit that lies ahead. */
  emailed: string
  /** What the customer hears if the visit is moved or called off. */
  changeHint: string
  /** What the customer hears if another time is saved, as the answer to asking for one. */
  saveHint: string
  /** What the customer hears if the time is kept. */
  keepHint: string
  savedBy: SavedBy
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
    ...outcomesOf(whole, stage, chooser.now),
    undo: undoOf(whole, chooser),
    take: takeOf(whole.lead, chooser),
    why: whyOf(whole.lead),
    sum: sumToShow(whole.lead),
    belongs: belongsOf(whole, chooser),
    ring: ringOf(whole, stage, chooser),
    visit: visitToChoose(whole, stage, chooser),
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

function mayMail({ values }: Lead, { mailsVisits }: Chooser): boolean {
  return mailsVisits && values.email !== ''
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

function savedBy({ state }: Lead): SavedBy {
  return state === 'consultation_booked' ? 'plan' : 'book'
}

function visitToChoose(whole: WholeLead, stage: Stage, chooser: Chooser): VisitChoice | undefined {
  const { lead } = whole
  if (stage !== 'talking' && stage !== 'visit ahead') return undefined
  const isKnown = stage === 'visit ahead' && seenVisit(lead) !== undefined
  return {
    isAsked: lead.state === 'consultation_booked' && lead.date === undefined,
    days: visitDays(chooser.now, chooser.opening, visitsOfOthers(lead, chooser)),
    ...typedDate(stage === 'visit ahead' ? visitOf(lead) : undefined, chooser.opening),
    place: placeToVisit(whole),
    isShown: lead.isVisitSeen !== false,
    shownLabel: isKnown ? '' : shownLabel(lead, chooser),
    emailed: emailedWords(whole, chooser),
    changeHint: changeHint(whole, chooser),
    saveHint: saveHint(lead, chooser),
    keepHint: mayMail(lead, chooser)
      ? `Keeping it emails ${whom(lead)} that the time stays.`
      : 'Keeping it sends no email: ring or write to them.',
    savedBy: savedBy(lead),
  }
}

function saveHint(lead: Lead, chooser: Chooser): string {
  const isAnswer = asksForAnotherTime(lead, chooser.now) && isEmailed(lead, chooser)
  return isAnswer ? `Saving it emails ${whom(lead)} the new time.` : ''
}

function shownLabel(lead: Lead, chooser: Chooser): string {
  if (!canSee(lead)) return ''
  return mayMail(lead, chooser)
    ? `Email ${whom(lead)} the time`
    : `Show the time on ${whose(lead)} receipt`
}

/** Somebody whom the owner added after a call has no receipt, unless an email led there. */
function canSee({ door, values }: Lead): boolean {
  return door !== 'phone' || values.email !== ''
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
