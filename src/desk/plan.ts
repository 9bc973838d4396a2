/** Dates of leads: offers to ring again, typed dates, dates in words, and the address for a visit. */
import type { Next } from '../contract/states.ts'
import { visitMs } from '../lead/life.ts'
import {
  dayMs,
  dateInWords,
  days,
  localTime,
  minuteMs,
  momentOf,
  toClock,
  toMinute,
  type Hours,
} from '../time.ts'

export type Opening = { readonly hours: readonly Hours[]; readonly timeZone: string }

type Offer = { label: string; at: number }

const afternoon = '16:00'
const soonestMs = 30 * minuteMs

export function ringOffers(now: number, { hours, timeZone }: Opening): Offer[] {
  const here = localTime(now, timeZone)
  const workdays = openDays(now, { hours, timeZone }, 0)
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

const noNeedDays = 30

/** "No need" to ring is no reason to forget somebody: the request comes back then. */
export function noNeedUntil(now: number, opening: Opening): number {
  const [first] = openDays(now, opening, noNeedDays)
  if (first === undefined) return now + noNeedDays * dayMs
  return momentOf(first.date, toMinute(first.opens), opening.timeZone)
}

/** The days of two weeks on which the business is open; the first one lies `from` days ahead. */
function openDays(now: number, { hours, timeZone }: Opening, from: number) {
  const here = localTime(now, timeZone)
  return Array.from({ length: 14 }, (_, index) => {
    const ahead = from + index
    const date = new Date(Date.parse(here.date) + ahead * dayMs).toISOString().slice(0, 10)
    const day = days[(days.indexOf(here.day) + ahead) % 7]!
    const open = hours.find((each) => each.days.includes(day))
    return open === undefined ? [] : [{ ahead, date, day, ...open }]
  }).flat()
}

/** A date further away than this is refused as a typing mistake. */
const furthestMs = 2 * 365 * dayMs

export function readMoment(
  { day, time }: { day: string; time: string },
  now: number,
  timeZone: string,
): number | undefined {
  if (!/^\d{4}-\d\d-\d\d$/.test(day) || !/^(?:[01]\d|2[0-3]):[0-5]\d$/.test(time)) return undefined
  if (Number.isNaN(Date.parse(day))) return undefined
  const at = momentOf(day, toMinute(time), timeZone)
  // Refuses a day that does not exist, such as 30 February.
  return localTime(at, timeZone).date === day ? checkMoment(at, now) : undefined
}

export function checkMoment(at: number, now: number): number | undefined {
  return Math.abs(at - now) <= furthestMs ? at : undefined
}

export function isOverdue(next: Next, now: number): boolean {
  return now >= overdueAt(next)
}

export function overdueAt({ at, what }: Next): number {
  return at + (what === 'visit' ? visitMs : 0)
}

export function nextInWords({ at, what }: Next, now: number, timeZone: string): string {
  return `${what === 'ring' ? 'Ring again' : 'Visit'}: ${dateInWords(at, timeZone, now)}`
}

/** Returns "ring 4 pm" for today, "visit Thu 20 Nov, 3 pm" for later. */
export function shortDate({ at, what }: Next, now: number, timeZone: string): string {
  const [date, time] = dayAndHour(at, now, timeZone)
  if (date === 'today') return `${what} ${time}`
  const [day = '', number = '', month = ''] = date.split(' ')
  return `${what} ${day.slice(0, 3)} ${number}\u00A0${month.slice(0, 3)}, ${time}`
}

export function dayAndHour(at: number, now: number, timeZone: string): [day: string, hour: string] {
  const [date = '', time = ''] = dateInWords(at, timeZone, now).split(', ')
  return [date, time.replace(' ', '\u00A0')]
}

/** A street address as people write it. Every repeat is bounded, so that matching stays fast. */
const street =
  /\b(?:[Uu]nit \d{1,4},? )?\d{1,4}[a-z]?(?:\/\d{1,4})? (?:[A-Z][\w'-]{1,20} ){1,3}(?:Street|St|Road|Rd|Avenue|Ave|Lane|Drive|Dr|Court|Ct|Place|Pl|Crescent|Cres|Way|Close|Parade|Pde|Terrace|Tce|Esplanade|Highway)\b/

export function addressIn(message: string, place: string): string {
  const [found = ''] = street.exec(message) ?? []
  return found === '' || place === '' || found.includes(place) ? found : `${found}, ${place}`
}
