/** Booked as days: the next two weeks with the days that are still free, for somebody who asks for one. */
import { visitOf } from '../contract/visit.ts'
import {
  dayMs,
  days,
  localTime,
  momentOf,
  namedDay,
  partsOf,
  toMinute,
  type Hours,
} from '../time.ts'
import { groupRows, overdueHeading, type RowGroup, type RowOptions } from './row.ts'
import type { LeadRow } from './views.ts'

const daysShown = 14

/** What is overdue, then each day of two weeks, then what is later or has no day. */
export function groupByDays(
  rows: readonly LeadRow[],
  options: RowOptions,
  hours: readonly Hours[],
): RowGroup[] {
  const groups = groupRows(rows, options)
  const byHeading = new Map(groups.map((group) => [group.heading, group]))
  const week = nextDays(options, hours).map(({ heading, isOpen }): RowGroup => {
    const own = byHeading.get(heading)?.rows ?? []
    const isBooked = own.some(({ row }) => visitOf(row) !== undefined)
    return isBooked
      ? { heading, rows: own }
      : { heading, rows: own, without: isOpen ? 'free' : 'closed' }
  })
  const named = new Set(week.map(({ heading }) => heading))
  const others = groups.filter(({ heading }) => !named.has(heading))
  const overdue = others.filter(({ heading }) => heading === overdueHeading)
  return [...overdue, ...week, ...others.filter((group) => !overdue.includes(group))]
}

/** `isOpen`: the business opens on that day and has not closed yet. */
function nextDays({ now, timeZone }: RowOptions, hours: readonly Hours[]) {
  const here = localTime(now, timeZone)
  return Array.from({ length: daysShown }, (_, ahead) => {
    const date = new Date(Date.parse(here.date) + ahead * dayMs).toISOString().slice(0, 10)
    const day = days[(days.indexOf(here.day) + ahead) % 7]!
    const parts = partsOf(momentOf(date, 12 * 60, timeZone), timeZone, now)
    const isOpen = hours.some(
      (each) => each.days.includes(day) && now < momentOf(date, toMinute(each.closes), timeZone),
    )
    return { heading: ahead === 0 ? 'Today' : namedDay(parts), isOpen }
  })
}
