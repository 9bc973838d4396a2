/** Dates of leads: offers to ring again, typed dates, dates in words, and the address for a visit. */
import type { Next } from '../contract/states.ts'
import { hasNumber } from '../lead/contact-links.ts'
import type { Lead } from '../store/leads/rows.ts'
import {
  dayAndMonth,
  dayMs,
  dateInWords,
  days,
  localTime,
  minuteMs,
  momentOf,
  notBefore,
  partsOf,
  toClock,
  toMinute,
  type DateParts,
  type Hours,
} from '../time.ts'

export type Opening = {
  readonly hours: readonly Hours[]
  readonly timeZone: string
  /** When the day of the owner begins, if the business opens before. */
  readonly morning?: string
}

/** The present, and where a date is told. */
export type LocalNow = { now: number; timeZone: string }

export type Offer = { label: string; at: number }

const afternoon = '16:00'
const soonestMs = 30 * minuteMs

export function ringOffers(now: number, opening: Opening): Offer[] {
  const { hours, timeZone } = opening
  const here = localTime(now, timeZone)
  const workdays = openDays(now, opening, 0)
  const toMonday = 7 - days.indexOf(here.day)
  const isOpenLater = hours.some(
    (each) => each.days.includes(here.day) && each.opens <= afternoon && afternoon < each.closes,
  )
  const next = workdays.find(({ ahead }) => ahead >= 1)
  // People take "Friday" for the coming Friday, so it is offered only up to six days ahead.
  const friday = workdays.find(({ ahead, day }) => ahead >= 2 && ahead <= 6 && day === 'Friday')
  const nextWeek = workdays.find(({ ahead }) => ahead >= Math.max(2, toMonday))
  const offers = [
    isOpenLater && { label: `Today ${toClock(afternoon)}`, date: here.date, time: afternoon },
    next && {
      label: `${next.ahead === 1 ? 'Tomorrow' : next.day} ${toClock(next.opens)}`,
      date: next.date,
      time: next.opens,
    },
    friday && { label: 'Friday', date: friday.date, time: friday.opens },
    nextWeek && { label: 'Next week', date: nextWeek.date, time: nextWeek.opens },
  ]
  const timed = offers
    .filter((offer) => !!offer)
    .map(({ label, date, time }) => ({ label, at: momentOf(date, toMinute(time), timeZone) }))
    .filter(({ at }) => at >= now + soonestMs)
  // If two offers have the same time, the first one stays.
  const byTime = new Map(timed.toReversed().map((offer) => [offer.at, offer]))
  return [...byTime.values()].sort((one, other) => one.at - other.at)
}

export const noNeedDays = 30

/** "No need" to ring is no reason to forget somebody: the request comes back then. */
export function noNeedUntil(now: number, opening: Opening): number {
  return openingAfter(noNeedDays, now, opening)
}

const daysOffered = 5

/** A day on which a visit can be booked. `booked`: the hours that are taken, or "free". */
export type VisitDay = { date: string; label: string; booked: string }

/** The next days on which it opens, with today while it is open for an hour yet. `taken`: when visits are booked. */
export function visitDays(now: number, opening: Opening, taken: readonly number[]): VisitDay[] {
  const { timeZone, hours: open } = opening
  const here = localTime(now, timeZone)
  const isOpenToday = open.some(
    (each) => each.days.includes(here.day) && toMinute(each.closes) >= here.minute + 60,
  )
  const next = openDays(now, opening, isOpenToday ? 0 : 1)
  return next.slice(0, daysOffered).map(({ date, day }) => {
    const hours = taken
      .filter((at) => localTime(at, timeZone).date === date)
      .map((at) => unbroken(partsOf(at, timeZone, now).hour))
    const label = date === here.date ? 'Today' : `${day.slice(0, 3)}\u00A0${Number(date.slice(8))}`
    return { date, label, booked: hours.join(', ') || 'free' }
  })
}

const followUpDays = 7

/** When to follow up a proposal, unless the member says otherwise. */
export function followUpAt(now: number, opening: Opening): number {
  return openingAfter(followUpDays, now, opening)
}

/** When the business opens on that day, or on the first open day after it. */
function openingAfter(ahead: number, now: number, opening: Opening): number {
  const [first] = openDays(now, opening, ahead)
  if (first === undefined) return now + ahead * dayMs
  return momentOf(first.date, toMinute(first.opens), opening.timeZone)
}

/** The days of two weeks on which the business is open; the first one lies `from` days ahead. */
function openDays(now: number, { hours, timeZone, morning }: Opening, from: number) {
  const here = localTime(now, timeZone)
  return Array.from({ length: 14 }, (_, index) => {
    const ahead = from + index
    const date = new Date(Date.parse(here.date) + ahead * dayMs).toISOString().slice(0, 10)
    const day = days[(days.indexOf(here.day) + ahead) % 7]!
    const open = hours.find((each) => each.days.includes(day))
    return open === undefined ? [] : [{ ahead, date, day, opens: notBefore(morning, open.opens) }]
  }).flat()
}

/** A date further away than this is refused as a typing mistake. */
const furthestMs = 2 * 365 * dayMs

/** Why a typed day and hour are no date. */
export type DateProblem = 'no day' | 'no hour' | 'no such day' | 'too far ahead' | 'too long ago'
export type Moment = { at: number } | { problem: DateProblem }

export function readMoment(
  { day, time }: { day: string; time: string },
  now: number,
  timeZone: string,
): Moment {
  if (day === '') return { problem: 'no day' }
  if (!isDay(day)) return { problem: 'no such day' }
  if (!/^(?:[01]\d|2[0-3]):[0-5]\d$/.test(time)) return { problem: 'no hour' }
  return checkMoment(momentOf(day, toMinute(time), timeZone), now)
}

/** 30 February is no day: JavaScript would take it for 2 March. */
function isDay(text: string): boolean {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return false
  const at = Date.parse(`${text}T00:00Z`)
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(text)
}

export function checkMoment(at: number, now: number): Moment {
  if (now - at > furthestMs) return { problem: 'too long ago' }
  return at - now <= furthestMs ? { at } : { problem: 'too far ahead' }
}

/**
 * The hour of a day that was typed without one: when the business opens then; on a closed day, when it
 * opens on others. Today is not overdue before the business closes. Returns '' if it has closed.
 */
export function usualHour(day: string, now: number, opening: Opening): string {
  const { hours, timeZone, morning } = opening
  const weekday = days[(new Date(Date.parse(day)).getUTCDay() + 6) % 7]
  const [first = { opens: '07:00', closes: '17:00' }] = hours
  // A day with a midday break has two openings.
  const open = hours.filter((each) => weekday !== undefined && each.days.includes(weekday))
  const here = localTime(now, timeZone)
  if (day !== here.date) return notBefore(morning, (open[0] ?? first).opens)
  const { closes } = open.at(-1) ?? first
  return here.minute < toMinute(closes) ? closes : ''
}

const mostDigits = 12

/** A typed whole sum, such as "41,000" or "$41 000.00"; `undefined` if nothing was typed. */
export function readSum(typed: string): number | undefined | 'wrong' {
  const text = typed.trim()
  if (text === '') return undefined
  const [, digits = '', cents = ''] =
    /^\p{Sc}?\s?(\d[\d,.\s]{0,20}?)(?:[.,](\d\d?))?$/u.exec(text) ?? []
  if (Number(cents) > 0) return 'wrong'
  const whole = digits.replaceAll(/[,.\s]/g, '')
  return whole === '' || whole.length > mostDigits ? 'wrong' : Number(whole)
}

/** "41,000". */
export function sumInWords(sum: number): string {
  return sum.toLocaleString('en')
}

/** What there is to do on the date of a lead. */
export type Todo = { at: number; what: Next['what'] | 'write' | 'follow up' }

/** The date of a proposal is stored like that of a call, and so is that of somebody without a number. */
export function todoOf(next: Next, lead: Pick<Lead, 'state' | 'values' | 'secondPhone'>): Todo {
  if (next.what === 'visit') return next
  if (lead.state === 'proposal_sent') return { ...next, what: 'follow up' }
  return hasNumber(lead) ? next : { ...next, what: 'write' }
}

export const todoWords: Record<Todo['what'], string> = {
  ring: 'Ring again',
  write: 'Write again',
  visit: 'Visit',
  'follow up': 'Follow up',
}

export function nextInWords({ at, what }: Todo, now: number, timeZone: string): string {
  return `${todoWords[what]}: ${dateInWords(at, timeZone, now)}`
}

/** `day` is '' if the hour of today is enough, and `hour` if the day is. */
export type ShortTodo = { what: Todo['what']; day: string; hour: string }

export function todoInShort({ at, what }: Todo, now: number, timeZone: string): ShortTodo {
  const parts = partsOf(at, timeZone, now)
  const isToday = parts.daysAhead === 0
  if (what === 'follow up') return { what, day: isToday ? 'today' : shortDate(parts), hour: '' }
  return { what, day: isToday ? '' : shortDate(parts), hour: unbroken(parts.hour) }
}

/** Returns "ring 4 pm" for today, "visit Thu 20 Nov, 3 pm" for later; "follow up Mon 30 Nov". */
export function todoInWords({ what, day, hour }: ShortTodo): string {
  return `${what} ${joinWords(', ', day, hour)}`
}

/** Returns "Thu 3 pm" for a day of this week, "Thu 3 Dec, 3 pm" for one further away, "today 3 pm". */
export function nearDate(at: number, now: number, timeZone: string): string {
  const parts = partsOf(at, timeZone, now)
  const hour = unbroken(parts.hour)
  if (parts.daysAhead === 0) return `today ${hour}`
  if (isThisWeek(parts)) return `${parts.day.slice(0, 3)} ${hour}`
  return `${shortDate(parts)}, ${hour}`
}

/** Returns "ring Monday" for a day of this week, "ring 7 Dec" for others, "ring today". */
export function dayInShort({ at, what }: Todo, now: number, timeZone: string): string {
  const parts = partsOf(at, timeZone, now)
  if (parts.daysAhead === 0) return `${what} today`
  const { day, number, shortMonth } = parts
  return isThisWeek(parts) ? `${what} ${day}` : `${what} ${number} ${shortMonth}`
}

/** "5 Nov"; "today" for today, and with the year if it is not this year. */
export function shortDay(at: number, { now, timeZone }: LocalNow): string {
  const parts = partsOf(at, timeZone, now)
  return parts.daysAhead === 0 ? 'today' : dayAndMonth(parts)
}

function isThisWeek({ daysAhead }: DateParts): boolean {
  return daysAhead > 0 && daysAhead < 7
}

/** "Thu 20 Nov", which breaks into two lines only after the weekday. */
function shortDate({ day, number, shortMonth }: DateParts): string {
  return `${day.slice(0, 3)} ${number}\u00A0${shortMonth}`
}

/** "3 pm" in one line. */
function unbroken(hour: string): string {
  return hour.replace(' ', '\u00A0')
}

/** Leaves out what is ''. */
export function joinWords(between: string, ...words: readonly string[]): string {
  return words.filter(Boolean).join(between)
}

/** A street address as people write it. Every repeat is bounded, so that matching stays fast. */
const street =
  /\b(?:[Uu]nit \d{1,4},? )?\d{1,4}[a-z]?(?:\/\d{1,4})? (?:[A-Z][\w'-]{1,20} ){1,3}(?:Street|St|Road|Rd|Avenue|Ave|Lane|Drive|Dr|Court|Ct|Place|Pl|Crescent|Cres|Way|Close|Parade|Pde|Terrace|Tce|Esplanade|Highway)\b/

export function addressIn(message: string, place: string): string {
  const [found = ''] = street.exec(message) ?? []
  return found === '' || place === '' || found.includes(place) ? found : `${found}, ${place}`
}
