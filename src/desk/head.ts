/** What stands at the top of a request's page, as data: the person, the date, and the newest words. */
import { personFields, type PersonKey } from '../contract/fields.ts'
import { lostReasons, type Next, type State } from '../contract/states.ts'
import { asksForAnotherTime, isCalledOff, isOverdue, lastMet, visitOf } from '../contract/visit.ts'
import { callLinks, groupPhone } from '../lead/contact-links.ts'
import { isSamePerson } from '../store/leads/persons.ts'
import { readEvents } from '../store/leads/events.ts'
import type { Lead } from '../store/leads/rows.ts'
import { dateInWords, namedDay, partsOf } from '../time.ts'
import {
  joinWords,
  nearDate,
  nextInWords,
  shortDay,
  sumInWords,
  todoOf,
  type LocalNow,
} from './plan.ts'
import { canReach, wonWords } from './row.ts'
import { askedWords, type LeadRow } from './views.ts'
import { visitsAhead } from './visits.ts'
import { mostOthersRead, type WholeLead } from './whole-lead.ts'
import { shortWord, takenWords, type NameOf } from './words.ts'

export type LeadHead = {
  /** '' if the request is erased. */
  name: string
  /** The phone numbers that can be called. */
  numbers: readonly string[]
  state: { name: State; words: string }
  town: string
  /** A new request waits; any other one just came in then. */
  isWaiting: boolean
  /** Visits of the person's other requests, "booked Thu 3 pm", and those that were won before. */
  visits: readonly { leadId: string; words: string }[]
  taken: string
  /** How often the person wrote; '' if once. */
  requests: string
  /** The names of others who left the same number, such as "Jill Abernathy"; '' if there are none. */
  sameNumber: string
  date: HeadDate | undefined
  /** "Visited on Thursday 19 November, 8 Dibbs Street"; '' before the visit, or while its date is shown. */
  visited: string
  /** The customer asks for another time of the visit. */
  asks: Asks | undefined
}

/** `words`: what the customer wrote with it; '' if nothing. */
export type Asks = { at: number; words: string; visitAt: number }

export type HeadDate = {
  words: string
  /** Where the visit is. */
  place: string
  isLate: boolean
  isCalledOff: boolean
  /** Whether a calendar can take it. */
  isVisit: boolean
}

export function headOf(whole: WholeLead, clock: LocalNow, nameOf: NameOf): LeadHead {
  const { lead, town } = whole
  const { now, timeZone } = clock
  const own = ownOthers(whole)
  return {
    name: lead.state === 'erased' ? '' : lead.values.name,
    // A number that stands in for the name is the heading.
    numbers: canReach(lead) ? numbersOf(lead).filter((each) => each !== lead.values.name) : [],
    state: { name: lead.state, words: chipWords(whole, clock) },
    town,
    isWaiting: lead.state === 'new',
    visits: [
      ...visitsAhead(whole.others, now).map(({ id, date }) => ({
        leadId: id,
        words: `booked ${nearDate(date!.at, now, timeZone)}`,
      })),
      ...wonBefore(own, lead, clock),
    ],
    taken: lead.takenBy === undefined ? '' : takenWords(nameOf(lead.takenBy)),
    requests: requestsInWords(own, lead, clock),
    sameNumber: namesOf(whole.others.filter((other) => !own.includes(other))),
    date: headDateOf(whole, clock),
    visited: visitedWords(whole, clock),
    asks: asksOf(whole, now),
  }
}

function asksOf({ lead, notes }: WholeLead, now: number): Asks | undefined {
  if (!asksForAnotherTime(lead, now)) return undefined
  return { at: lead.askedAt!, words: askedWords(lead, notes), visitAt: lead.date!.at }
}

function visitedWords({ lead, events }: WholeLead, { now, timeZone }: LocalNow): string {
  const met = visitOf(lead) ? undefined : lastMet(lead, readEvents(events), now)
  if (met === undefined || lead.state === 'erased') return ''
  const parts = partsOf(met.at, timeZone, now)
  const visited = parts.daysAhead === 0 ? 'Visited today' : `Visited on ${namedDay(parts)}`
  return joinWords(', ', visited, lead.visitPlace ?? '')
}

/** "booked", "visited", "lost: not the right time", "won: 4,850". */
function chipWords({ lead, events }: WholeLead, { now }: LocalNow): string {
  const { state, lostWhy, proposalSum } = lead
  const isBooked = state === 'consultation_booked'
  if (isBooked && lastMet(lead, readEvents(events), now) !== undefined) return 'visited'
  const words = shortWord(state)
  if (state === 'won' && proposalSum !== undefined) return `${words}: ${sumInWords(proposalSum)}`
  return lostWhy === undefined ? words : `${words}: ${lostReasons[lostWhy]}`
}

function numbersOf({ values, secondPhone = '' }: Lead): string[] {
  return [values.phone, secondPhone].filter((phone) => callLinks(phone).length > 0).map(groupPhone)
}

function wonBefore(own: readonly LeadRow[], lead: Lead, clock: LocalNow): LeadHead['visits'] {
  const won = own.filter(({ id, state }) => state === 'won' && id < lead.id)
  return won.map(({ id, stateChangedAt }) => ({
    leadId: id,
    words: wonWords(stateChangedAt, clock),
  }))
}

/** The person's other requests. One that is joined with another counts for that one. */
function ownOthers({ lead, ofPerson, others }: WholeLead): LeadRow[] {
  const same = ofPerson.filter((other) => isSamePerson(lead, other))
  const own = new Set(same.map(({ id, joinedTo }) => joinedTo || id))
  return others.filter((other) => own.has(other.id))
}

function namesOf(leads: readonly Lead[]): string {
  return [...new Set(leads.map(({ values }) => values.name))].join(', ')
}

/** "Also asked on 5 Nov" on the newer request of two, else "Sent 3 requests". */
function requestsInWords(others: readonly LeadRow[], lead: Lead, clock: LocalNow): string {
  const [other] = others
  if (other === undefined) return ''
  if (others.length >= mostOthersRead) return `Sent more than ${mostOthersRead} requests`
  const isNewer = lead.receivedAt >= other.receivedAt
  if (others.length === 1 && isNewer) {
    const day = shortDay(other.receivedAt, clock)
    return `Also asked ${day === 'today' ? day : `on ${day}`}`
  }
  return `Sent ${others.length + 1} requests`
}

function headDateOf({ lead }: WholeLead, { now, timeZone }: LocalNow): HeadDate | undefined {
  const { date } = lead
  if (date === undefined) return undefined
  const isOff = isCalledOff(lead)
  const isLate = isOff || isOverdue(date, now)
  const isVisit = date.what === 'visit' && !isOff
  return {
    words: headDateWords(lead, date, { now, timeZone }),
    place: visitOf(lead)?.place ?? '',
    isLate,
    isCalledOff: isOff,
    isVisit,
  }
}

function headDateWords(lead: Lead, date: Next, { now, timeZone }: LocalNow): string {
  const words = nextInWords(todoOf(date, lead), now, timeZone)
  if (isCalledOff(lead)) return `Called off. ${words}`
  if (date.what !== 'visit' || !isOverdue(date, now)) return words
  return `The visit is over: ${dateInWords(date.at, timeZone, now)}`
}

/** A message of the person. `lead` is the request that it came with. */
export type ShownMessage = {
  lead: Lead
  words: string
  /** "5 Nov", or "today". */
  day: string
  /** The name, if another one was typed than that of the page's request. */
  otherName: string
  /** Whether it came with the request of the page, or with one that is joined with it. */
  isOwn: boolean
  /** What the joined request says otherwise than the request of the page. */
  differing: readonly Differing[]
}

/** Another name is said beside the day, and is no detail to use. */
type DifferingKey = Exclude<PersonKey, 'name'>
export type Differing = { key: DifferingKey; text: string }

const differingKeys = personFields.map(({ key }) => key).filter((key) => key !== 'name')

const mostMessages = 3

/**
 * The messages of this request and of those that are joined with it, the newest first. The page folds
 * the oldest, so that the buttons below need little scrolling.
 */
export function messagesOf(
  { lead, joined }: WholeLead,
  clock: LocalNow,
): { shown: ShownMessage[]; folded: ShownMessage[] } {
  const all = [lead, ...joined.map((each) => each.lead)]
    .sort((one, other) => other.receivedAt - one.receivedAt)
    .map((each) => toMessage(each, lead, clock))
  return { shown: all.slice(0, mostMessages), folded: all.slice(mostMessages) }
}

/** A number and an email are the same however they are typed. */
function isSameDetail(key: DifferingKey, from: Lead, own: Lead): boolean {
  const keyOf = personKeyOf[key] ?? (() => '')
  const isSameKey = keyOf(from) !== '' && keyOf(from) === keyOf(own)
  return isSameKey || from.values[key] === own.values[key]
}

const personKeyOf: Partial<Record<DifferingKey, (lead: Lead) => string>> = {
  phone: ({ phoneKey }) => phoneKey,
  email: ({ emailKey }) => emailKey,
}

function toMessage(from: Lead, own: Lead, clock: LocalNow): ShownMessage {
  const { name, message } = from.values
  const differing = differingKeys.filter(
    (key) => from.values[key] !== '' && !isSameDetail(key, from, own),
  )
  return {
    lead: from,
    words: message,
    day: shortDay(from.receivedAt, clock),
    otherName: name === own.values.name ? '' : name,
    isOwn: from.id === own.id,
    differing: differing.map((key) => ({ key, text: from.values[key] })),
  }
}
