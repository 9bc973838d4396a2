/** The clock of the business: its days, and its opening hours. */
import type { Business, Day } from './contract/business.ts'
import { dayMs, minuteMs } from './durations.ts'

export type LocalTime = {
  /** As in 2026-11-15. */
  date: string
  day: Day
  /** Minutes since midnight. */
  minute: number
}

export function localTime(atMs: number, timeZone: string): LocalTime {
  const parts = Object.fromEntries(
    calendarsFor(timeZone)
      .parts.formatToParts(atMs)
      .map(({ type, value }) => [type, value]),
  )
  return {
    date: `${parts['year']}-${parts['month']}-${parts['day']}`,
    day: parts['weekday'] as Day,
    minute: Number(parts['hour']) * 60 + Number(parts['minute']),
  }
}

/** As in: Mon, 16 Nov, 10:00 am. With the year where that was long before `nowMs`. */
export function inWords(atMs: number, timeZone: string, nowMs = atMs): string {
  const { words, wordsWithYear } = calendarsFor(timeZone)
  return (nowMs - atMs < longAgoMs ? words : wordsWithYear).format(atMs)
}

/** The same month of another year is further away. */
const longAgoMs = 330 * dayMs

type Calendars = Record<'parts' | 'words' | 'wordsWithYear', Intl.DateTimeFormat>

const known = new Map<string, Calendars>()

/** Cached: each holds about 100 KB outside the JavaScript heap. */
function calendarsFor(timeZone: string): Calendars {
  let calendars = known.get(timeZone)
  if (calendars === undefined) {
    calendars = {
      parts: new Intl.DateTimeFormat('en-GB', {
        timeZone,
        weekday: 'long',
        year: 'numeric',
        month: '2-digit',
        day: '2-digit',
        hour: '2-digit',
        minute: '2-digit',
        hourCycle: 'h23',
      }),
      words: new Intl.DateTimeFormat('en-AU', { timeZone, ...dayAndTime }),
      wordsWithYear: new Intl.DateTimeFormat('en-AU', {
        timeZone,
        ...dayAndTime,
        year: 'numeric',
      }),
    }
    known.set(timeZone, calendars)
  }
  return calendars
}

const dayAndTime = {
  weekday: 'short',
  day: 'numeric',
  month: 'short',
  hour: 'numeric',
  minute: '2-digit',
} as const

type Opening = Pick<Business, 'hours' | 'timeZone'>

export function isOpen(atMs: number, { hours, timeZone }: Opening): boolean {
  const { day, minute } = localTime(atMs, timeZone)
  return hours.some(
    ({ days, opens, closes }) =>
      days.includes(day) && minute >= toMinute(opens) && minute < toMinute(closes),
  )
}

/** Fine enough for opening hours, and it divides the offset of every time zone. */
export const stepMs = 15 * minuteMs
/** A business that opens less than once in three weeks is not reminded. */
const mostSteps = (21 * dayMs) / stepMs

/** When so much opening time will have passed; `undefined`: not within three weeks. */
export function afterOpenTime(
  fromMs: number,
  openMs: number,
  opening: Opening,
): number | undefined {
  let left = openMs
  let at = fromMs
  for (let step = 0; step < mostSteps; step += 1) {
    const end = nextStep(at)
    const open = isOpen(at, opening)
    if (open && end - at >= left) return at + left
    if (open) left -= end - at
    at = end
  }
  return undefined
}

function nextStep(at: number): number {
  return Math.floor(at / stepMs) * stepMs + stepMs
}

function toMinute(time: string): number {
  const [hours = '0', minutes = '0'] = time.split(':')
  return Number(hours) * 60 + Number(minutes)
}
