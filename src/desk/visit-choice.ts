/** The fields of a visit on the page of a request, and what the customer hears of it, as data. */
import { asksForAnotherTime, isVisitAhead, newsOf, seenVisit, visitOf } from '../contract/visit.ts'
import { firstNameOf } from '../lead/contact-links.ts'
import type { Lead } from '../store/leads/rows.ts'
import { localTime, toTime24 } from '../time.ts'
import { capital } from '../words.ts'
import { addressIn, nearDate, visitDays, type Opening, type VisitDay } from './plan.ts'
import type { WholeLead } from './whole-lead.ts'

/** A request that is not booked yet is booked by saving the visit. */
export type SavedBy = 'book' | 'plan'

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

export function savedBy({ state }: Lead): SavedBy {
  return state === 'consultation_booked' ? 'plan' : 'book'
}

export function visitChoiceOf(whole: WholeLead, chooser: Chooser): VisitChoice {
  const { lead } = whole
  const ahead = isVisitAhead(lead, chooser.now) ? visitOf(lead) : undefined
  const isKnown = ahead !== undefined && seenVisit(lead) !== undefined
  return {
    isAsked: lead.state === 'consultation_booked' && lead.date === undefined,
    days: visitDays(chooser.now, chooser.opening, visitsOfOthers(lead, chooser)),
    ...typedDate(ahead, chooser.opening),
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
export function placeToVisit(whole: WholeLead): string {
  const { visitPlace, street, values } = whole.lead
  return visitPlace || street || (visitPlace ?? addressIn(values.message, townOf(whole)))
}

function typedDate(visit: { at: number } | undefined, { timeZone }: Opening) {
  if (visit === undefined) return { day: '', time: '' }
  const { date, minute } = localTime(visit.at, timeZone)
  return { day: date, time: toTime24(minute) }
}

/** The town as the customer typed it; for a bare postcode, the area that has it. */
export function townOf({ lead, town }: WholeLead): string {
  const typed = lead.values.postcode
  return /\p{L}/u.test(typed) ? typed : town
}

export function whom({ values: { name } }: Lead): string {
  return firstNameOf(name) || 'them'
}

function whose({ values: { name } }: Lead): string {
  const first = firstNameOf(name)
  return first === '' ? 'their' : `${first}'s`
}

function mayMail({ values }: Lead, { mailsVisits }: Chooser): boolean {
  return mailsVisits && values.email !== ''
}
