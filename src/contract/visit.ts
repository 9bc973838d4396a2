/**
 * The date of a lead, and the visit: when it is, where, and whether the customer sees it. Every
 * question about a visit is answered here.
 */
import { hourMs } from '../time.ts'
import { mailedStates, type Next, type State } from './states.ts'

/** `isSeen`: whether the customer sees it on the receipt and hears of it by email. */
export type Visit = { what: 'visit'; at: number; place: string; isSeen: boolean }

/** A lead has one date at most: to ring, or to visit. */
export type LeadDate = { what: 'ring'; at: number } | Visit

/** What an email says of a visit. */
export type NamedVisit = Pick<Visit, 'at' | 'place'>

/** The part of a lead that a visit is about. */
type Dated = { state: State; date?: LeadDate | undefined }

/**
 * Both stay with the lead after the visit, so that the next one begins with them. `isVisitSeen` is
 * `undefined` before anybody chose: the customer does not see such a visit, though the form is ticked.
 */
type LastVisit = { visitPlace: string | undefined; isVisitSeen: boolean | undefined }

/** A visit takes an hour. */
export const visitMs = hourMs

export function toDate(
  next: Next | undefined,
  { visitPlace = '', isVisitSeen = false }: LastVisit,
): LeadDate | undefined {
  if (next?.what !== 'visit') return next && { at: next.at, what: 'ring' }
  return { at: next.at, what: 'visit', place: visitPlace, isSeen: isVisitSeen }
}

/** The date without the place, which is personal, and so never part of an event. */
export function nextOf({ date }: Pick<Dated, 'date'>): Next | undefined {
  return date && { at: date.at, what: date.what }
}

export function isSameDate(one: Next | undefined, other: Next | undefined): boolean {
  return one?.at === other?.at && one?.what === other?.what
}

/** When it is too late for the date: a visit is over by then, and a call an hour late. */
export function overdueAt({ at }: Next): number {
  return at + visitMs
}

export function isOverdue(next: Next, now: number): boolean {
  return now >= overdueAt(next)
}

/** Also a visit that the customer does not see, or that the customer called off by withdrawing. */
export function visitOf({ date }: Pick<Dated, 'date'>): Visit | undefined {
  return date?.what === 'visit' ? date : undefined
}

export function seenVisit(lead: Dated): Visit | undefined {
  const visit = lead.state === 'consultation_booked' ? visitOf(lead) : undefined
  return visit?.isSeen ? visit : undefined
}

/** The owner speaks to the customer about this visit himself, so no email names it. */
export function hasHiddenVisit(lead: Dated): boolean {
  return visitOf(lead) !== undefined && seenVisit(lead) === undefined
}

export function isVisitAhead(lead: Dated, now: number): boolean {
  const visit = visitOf(lead)
  return lead.state === 'consultation_booked' && visit !== undefined && visit.at > now
}

/** Once the hour of the visit has come, another time is no question any more. */
export function asksForAnotherTime(lead: Dated & { askedAt: number | undefined }, now: number) {
  return lead.askedAt !== undefined && isVisitAhead(lead, now)
}

/** The customer withdrew, and the owner has not seen yet that the visit is off. */
export function isCalledOff({ state, date }: Dated): boolean {
  return state === 'withdrawn' && date !== undefined
}

export function isSameVisit(one: NamedVisit | undefined, other: NamedVisit | undefined): boolean {
  return one?.at === other?.at && one?.place === other?.place
}

/** Whether the customer gets emails about visits. Somebody who rang may have left no email. */
export function hearsOfVisits({ state, values }: { state: State; values: { email: string } }) {
  return mailedStates.includes(state) && values.email !== ''
}

/**
 * What the last email about the visit of a request said to an address: the visit or, if `isOff`, that
 * this visit is off. `to`: the key of the address. `answers`: when the customer had asked for another
 * time, if an email answered that.
 */
export type VisitEmail = NamedVisit & { to: string; isOff: boolean; answers: number | undefined }

/** What an email says of a visit. `stays`: the answer to a customer who asked for another time. */
export type VisitNews =
  | { kind: 'new' | 'on again' | 'stays'; visit: NamedVisit }
  | { kind: 'replaces'; visit: NamedVisit; before: NamedVisit }
  | { kind: 'off'; before: NamedVisit }

type Heard = Dated & { askedAt: number | undefined; emailKey: string; values: { email: string } }

/**
 * What the customer hears: it follows from the visit as it is now, and from what the last
 * email to each address of the request said. `undefined` if the customer knows it, or need not know.
 * `answers`: when the customer asked for another time, if that is answered.
 */
export function newsOf(
  lead: Heard,
  emails: readonly VisitEmail[],
  { now, answers }: { now: number; answers?: number | undefined },
): VisitNews | undefined {
  if (!hearsOfVisits(lead) || hasHiddenVisit(lead)) return undefined
  const ahead = emails.filter(({ at }) => at > now)
  const own = ahead.find(({ to }) => to === lead.emailKey)
  const visit = seenVisit(lead)
  if (visit === undefined) {
    // A customer with a new address also hears that the visit is off.
    const before = [own, ...ahead].find((email) => email?.isOff === false)
    return before && { kind: 'off', before }
  }
  if (visit.at <= now) return undefined
  const isToAnswer = answers !== undefined && lead.askedAt === undefined
  return newsAhead(visit, own, isToAnswer ? answers : undefined)
}

/** `own`: what the last email to the present address said. */
function newsAhead(
  visit: Visit,
  own: VisitEmail | undefined,
  answers: number | undefined,
): VisitNews | undefined {
  if (own === undefined) return { kind: 'new', visit }
  if (own.isOff) return { kind: own.at === visit.at ? 'on again' : 'new', visit }
  if (!isSameVisit(own, visit)) return { kind: 'replaces', visit, before: own }
  const isAnswered = answers === undefined || answers === own.answers
  return isAnswered ? undefined : { kind: 'stays', visit }
}

/** The part of an event that a date is about: the date afterwards is `next`. */
type DatedEvent = {
  at: number
  number: number
  undoes?: number | undefined
  from?: State
  to?: State
  next?: Next | undefined
}

/**
 * The last visit that took place; `undefined` if there was none, or another lies ahead. A visit took
 * place if its hour passed before anybody changed the date, and it was not called off.
 */
export function lastMet(lead: Dated, events: readonly DatedEvent[], now: number): Next | undefined {
  const visit = visitOf(lead)
  if (visit !== undefined && now < visit.at + visitMs) return undefined
  const undone = new Set(events.map(({ undoes }) => undoes))
  const dated = events.filter(({ number, from }) => !undone.has(number) && from !== undefined)
  return dated.findLast(({ next, to }, index) => {
    // A call that nobody answered, or a correction, leaves the visit as it is.
    const then = dated
      .slice(index + 1)
      .find((each) => each.to !== to || !isSameDate(each.next, next))
    const isOff = then?.from === 'consultation_booked' && then.to === 'contacted'
    return next?.what === 'visit' && !isOff && isOverdue(next, then?.at ?? now)
  })?.next
}
