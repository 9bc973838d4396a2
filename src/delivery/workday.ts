/** The day of a morning email, and the closed days that follow it. */
import { days, localTime, momentOf, openingMinute, type Day, type Hours } from '../time.ts'

export type OpeningHours = { readonly timeZone: string; readonly hours: readonly Hours[] }

/** `opensAgain`: the midnight at which the next open day begins; it is `before` if that is tomorrow. */
export type Workday = { from: number; before: number; opensAgain: number }

const dayMinutes = 24 * 60

export function workdayOf(at: number, { timeZone, hours }: OpeningHours): Workday {
  const { date, day } = localTime(at, timeZone)
  const midnight = (daysAhead: number) => momentOf(date, daysAhead * dayMinutes, timeZone)
  return {
    from: midnight(0),
    before: midnight(1),
    opensAgain: midnight(1 + countClosedAfter(day, hours)),
  }
}

function countClosedAfter(day: Day, hours: readonly Hours[]): number {
  const today = days.indexOf(day)
  const rest = days.slice(1).map((_, index) => days[(today + 1 + index) % days.length]!)
  const open = rest.findIndex((each) => openingMinute(each, hours) !== undefined)
  return open === -1 ? rest.length : open
}
