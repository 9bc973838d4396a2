/** What a member can do with a request now, as data. The page of the request draws it. */
import { senderMail } from '../contract/notices.ts'
import {
  isBack,
  joinableStates,
  lostReasons,
  type LostReason,
  type Next,
  type State,
} from '../contract/states.ts'
import {
  asksForAnotherTime,
  isOverdue,
  isVisitAhead,
  lastMet,
  seenVisit,
  visitOf,
  type Visit,
} from '../contract/visit.ts'
import { callLinks, firstNameOf } from '../lead/contact-links.ts'
import { firstOf, isOpen, movesOf, undoableMove } from '../lead/life.ts'
import { dataOf, readEvents, type LeadEvent } from '../store/leads/events.ts'
import type { Lead } from '../store/leads/rows.ts'
import { localTime, toTime24 } from '../time.ts'
import {
  addressIn,
  dayInShort,
  followUpOffers,
  nearDate,
  noNeedUntil,
  ringOffers,
  shortDay,
  todoOf,
  type Offer,
  type Opening,
} from './plan.ts'
import type { StoryEntry } from './story.ts'
import type { WholeLead } from './whole-lead.ts'
import { capital, moveLabel, shortWord } from './words.ts'

export type Choices = {
  /** The heading above the outcomes. */
  question: string
  outcomes: readonly Outcome[]
  undo: string | undefined
  take: { label: string; value: 'me' | 'none' } | undefined
  /** Why a lost request was lost, which nobody needs to say. */
  why: WhyChoice | undefined
  /** The person's open request that this one may belong to. */
  belongs: { words: string; leadId: string } | undefined
  ring: RingChoice | undefined
  visit: VisitChoice | undefined
}

/**
 * `main`: the most likely outcome. `even`: as likely as others. `quiet`: seldom, so it is text below
 * the buttons. `back`: a step back after a slip.
 */
export type Outcome = { weight: 'main' | 'even' | 'quiet' | 'back'; label: string } & Press

type Press = { act: 'move'; to: State } | { act: 'tried' }

/** `said`: the reason that a member gave. */
export type WhyChoice = {
  reasons: readonly { label: string; value: LostReason }[]
  said: LostReason | undefined
}

/** `pick`: what the button says that saves a picked day. */
export type RingChoice = { heading: string; offers: readonly Offer[]; pick: string }

export type VisitChoice = {
  label: string
  /** Whether the day or another day is asked for, so that the fields are open. */
  isAsked: boolean
  /** Whether the request has a visit that a calendar can take. */
  isSet: boolean
  day: string
  time: string
  place: string
  isShown: boolean
  shownLabel: string
  /** What the customer hears if the time is kept. */
  keepHint: string
  /** A request that is not booked yet is booked by saving the visit. */
  savedBy: 'book' | 'plan'
}

export type Chooser = {
  now: number
  opening: Opening
  memberId: string
  /** Whether the inbox has other members, to whom it says who looks after a request. */
  hasColleagues: boolean
  /** Whether the customer gets an email about the visit. */
  mailsVisits: boolean
}

export function choicesOf(whole: WholeLead, chooser: Chooser): Choices {
  const stage = stageOf(whole, chooser.now)
  return {
    question: stage === 'closed' ? closedTitle(whole.lead) : questions[stage],
    outcomes: outcomesOf(whole, stage, chooser),
    undo: undoOf(whole, chooser),
    take: takeOf(whole.lead, chooser),
    why: whyOf(whole.lead),
    belongs: belongsOf(whole, chooser),
    ring: ringOf(whole, stage, chooser),
    visit: visitChoiceOf(whole, chooser),
  }
}

/** `visited`: the visit has taken place, whatever date the request has since. */
type Stage = 'judging' | 'talking' | 'visit ahead' | 'visited' | 'proposed' | 'closed'

function stageOf({ lead, events }: WholeLead, now: number): Stage {
  if (isJudged(lead)) return 'judging'
  if (!isOpen(lead)) return 'closed'
  if (lead.state === 'proposal_sent') return 'proposed'
  if (lead.state !== 'consultation_booked') return 'talking'
  if (lead.date?.what === 'visit' && !isOverdue(lead.date, now)) return 'visit ahead'
  return lastMet(lead, readEvents(events), now) === undefined ? 'talking' : 'visited'
}

export function isJudged({ state }: Lead): boolean {
  return state === 'held' || state === 'spam'
}

const questions: Record<Exclude<Stage, 'closed'>, string> = {
  judging: 'Is this a real request?',
  talking: 'What next?',
  'visit ahead': 'What next?',
  visited: 'How did the visit go?',
  proposed: 'What became of the proposal?',
}

function closedTitle({ state }: Lead): string {
  return state === 'withdrawn' ? 'Withdrawn by the customer' : capital(shortWord(state))
}

function outcomesOf(whole: WholeLead, stage: Stage, chooser: Chooser): Outcome[] {
  const { lead, events } = whole
  const undoTo = undoableMove(events)?.from
  const moves = movesOf(lead, events).map((to) => toOutcome(whole, to, stage, chooser))
  // A step back to where an undo leads is offered as the undo, but a visit can always be called off.
  const isKept = stage === 'visit ahead'
  const useful = moves.filter(({ weight, to }) => isKept || weight !== 'back' || to !== undoTo)
  const first = useful.findIndex(({ weight }) => weight === 'even')
  if (stage === 'talking' && first !== -1) useful[first] = { ...useful[first]!, weight: 'main' }
  const tried = triedOf(lead, stage)
  if (tried === undefined) return useful
  // Before a visit, most calls end with one of the first two.
  const at = stage === 'talking' ? 1 : useful.length
  return [...useful.slice(0, at), tried, ...useful.slice(at)]
}

function toOutcome(whole: WholeLead, to: State, stage: Stage, chooser: Chooser) {
  const { state } = whole.lead
  const label = moveLabel(state, to)
  const move = { act: 'move', to } as const
  if (stage === 'judging') return { ...move, label, weight: 'even' as const }
  if (isBack(state, to)) return { ...move, ...backOf(whole, to, chooser) }
  // Any other move ends a visit that lies ahead, so its button says that, and is seldom meant.
  if (isVisitAhead(whole.lead, chooser.now)) {
    return { ...move, label: `${label}, and call off the visit`, weight: 'quiet' as const }
  }
  return { ...move, label, weight: isSeldom(to, stage) ? ('quiet' as const) : ('even' as const) }
}

function isSeldom(to: State, stage: Stage): boolean {
  if (to === 'proposal_sent') return stage === 'visit ahead'
  return to === 'not_suitable' || to === 'spam'
}

/** Says who gets an email if the visit is called off. */
function mailedWords(lead: Lead, chooser: Chooser): string {
  const isTold = mayMail(lead, chooser) && seenVisit(lead) !== undefined
  return isTold ? ` and email ${whom(lead)}` : ''
}

function mayMail({ values }: Lead, { mailsVisits }: Chooser): boolean {
  return mailsVisits && values.email !== ''
}

/** Going back from booked to contacted ends the visit. */
function backOf(
  { lead }: WholeLead,
  to: State,
  chooser: Chooser,
): Pick<Outcome, 'weight' | 'label'> {
  const visit = visitOf(lead)
  if (visit === undefined || to !== 'contacted') {
    return { weight: 'back', label: moveLabel(lead.state, to) }
  }
  // Once the hour of the visit has come, no email calls it off.
  if (visit.at <= chooser.now) return { weight: 'even', label: 'The visit did not happen' }
  return { weight: 'back', label: `Call off the visit${mailedWords(lead, chooser)}` }
}

/** Asked about a visit or a proposal, an unanswered call is no answer to the question. */
function triedOf(lead: Lead, stage: Stage): Outcome | undefined {
  if (!isOpen(lead) || callLinks(lead.values.phone).length === 0) return undefined
  const isAsked = stage === 'visited' || stage === 'proposed'
  if (isAsked) return { act: 'tried', weight: 'quiet', label: 'Rang, no answer' }
  return { act: 'tried', weight: 'even', label: 'No answer' }
}

function undoOf(whole: WholeLead, chooser: Chooser): Choices['undo'] {
  const { lead, events } = whole
  const last = undoableMove(events)
  const event = events.find(({ number }) => number === last?.number)
  if (event === undefined) return undefined
  const mailed = isMailed(whole, event, chooser) ? ` and email ${whom(lead)} again` : ''
  return `Undo: "${actInShort(event, chooser)}"${mailed}`
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

function actInShort(event: LeadEvent, { now, opening }: Chooser): string {
  const { from = 'new', to = from, next } = dataOf(event)
  if (event.kind === 'lead.tried') return 'no answer'
  if (event.kind === 'lead.corrected') return 'details corrected'
  const isProposal = from !== to && to === 'proposal_sent'
  if (next !== undefined && !isProposal) return dayInShort(todoOf(next, to), now, opening.timeZone)
  if (from === to) return 'date removed'
  return moveLabel(from, to).toLowerCase()
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

/** Anybody can type anybody's number, so the same number counts only with the same name. */
function belongsOf({ lead, ofPerson, others }: WholeLead, chooser: Chooser): Choices['belongs'] {
  if (!joinableStates.includes(lead.state)) return undefined
  const isKnown = ({ emailKey, phoneKey, values }: Lead) =>
    (emailKey !== '' && emailKey === lead.emailKey) ||
    (phoneKey !== '' && phoneKey === lead.phoneKey && isSameName(values.name, lead.values.name))
  const known = ofPerson.filter(isKnown).map(({ id, joinedTo }) => joinedTo || id)
  const open = others.filter((other) => isOpen(other) && known.includes(other.id))
  if (open.length === 0) return undefined
  const first = open.reduce<Lead>(firstOf, lead)
  return first === lead ? undefined : { leadId: first.id, words: openRequest(first, chooser) }
}

function isSameName(one: string, other: string): boolean {
  return one.trim().toLowerCase() === other.trim().toLowerCase()
}

/** "Wendy has an open request of 2 Nov, booked Thu 3 pm". */
function openRequest(lead: Lead, { now, opening }: Chooser): string {
  const { timeZone } = opening
  const who = firstNameOf(lead.values.name) || 'This person'
  const day = shortDay(lead.receivedAt, { now, timeZone })
  const visit = isVisitAhead(lead, now) ? ` ${nearDate(lead.date!.at, now, timeZone)}` : ''
  return `${who} has an open request of ${day}, ${shortWord(lead.state)}${visit}`
}

function ringOf(whole: WholeLead, stage: Stage, { now, opening }: Chooser): RingChoice | undefined {
  const { lead } = whole
  // "Ring again" would replace a visit that lies ahead, because a lead has only one date.
  if (!isOpen(lead) || stage === 'visit ahead') return undefined
  if (stage === 'proposed') {
    const offers = followUpOffers(now, opening)
    return { heading: 'When do you follow up?', offers, pick: 'Follow up then' }
  }
  const offers = ringOffers(now, opening)
  // Somebody whom the owner has not reached yet is not put off for a month.
  if (lead.state !== 'new') {
    offers.push({ label: 'No need: 30 days', at: noNeedUntil(now, opening) })
  }
  const asksWhen = lead.state === 'contacted' && lead.date === undefined
  return { heading: asksWhen ? 'When next?' : 'Ring again', offers, pick: 'Ring then' }
}

function visitChoiceOf(whole: WholeLead, chooser: Chooser): VisitChoice | undefined {
  const { lead } = whole
  if (!isOpen(lead)) return undefined
  const isBooked = lead.state === 'consultation_booked'
  const visit = visitOf(lead)
  const isAsked = isBooked && lead.date === undefined
  const isAskedAnew = asksForAnotherTime(lead, chooser.now)
  return {
    label: isAskedAnew ? 'Another time' : visitLabel(visit, isAsked),
    isAsked: isAsked || isAskedAnew,
    isSet: visit !== undefined,
    ...dayAndTime(visit, chooser.opening),
    place: placeToVisit(whole),
    isShown: lead.isVisitSeen !== false,
    shownLabel: mayMail(lead, chooser)
      ? `Email ${whom(lead)} the time`
      : `Show the time on ${whose(lead)} receipt`,
    keepHint: mayMail(lead, chooser)
      ? `Keeping it emails ${whom(lead)} that the time stays.`
      : 'Keeping it sends no email: ring or write to them.',
    savedBy: isBooked ? 'plan' : 'book',
  }
}

/** A place that was removed stays removed, unless a street was typed since. */
function placeToVisit(whole: WholeLead): string {
  const { visitPlace, street, values } = whole.lead
  return visitPlace || street || (visitPlace ?? addressIn(values.message, townOf(whole)))
}

function visitLabel(visit: Visit | undefined, isAsked: boolean): string {
  if (visit !== undefined) return 'The visit'
  return isAsked ? 'Which day and hour?' : 'Book a visit'
}

function dayAndTime(visit: Next | undefined, { timeZone }: Opening) {
  if (visit === undefined) return { day: '', time: '' }
  const { date, minute } = localTime(visit.at, timeZone)
  return { day: date, time: toTime24(minute) }
}

/** The town as the customer typed it; for a bare postcode, the area that has it. */
export function townOf({ lead, place }: WholeLead): string {
  const typed = lead.values.postcode
  return /\p{L}/u.test(typed) ? typed : place
}

function whom({ values: { name } }: Lead): string {
  return firstNameOf(name) || 'them'
}

function whose({ values: { name } }: Lead): string {
  const first = firstNameOf(name)
  return first === '' ? 'their' : `${first}'s`
}
