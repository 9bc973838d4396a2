/** A time as people say it: today, yesterday, 12 November 2026. */
import { dayMs } from '../../durations.ts'

const formats = new Map<string, Intl.DateTimeFormat>()

export function shownDay(at: number, now: number, timeZone: string): string {
  const day = dayIn(at, timeZone)
  if (day === dayIn(now, timeZone)) return 'today'
  return day === dayIn(now - dayMs, timeZone) ? 'yesterday' : day
}

function dayIn(at: number, timeZone: string): string {
  let format = formats.get(timeZone)
  if (format === undefined) {
    format = new Intl.DateTimeFormat('en-AU', { dateStyle: 'long', timeZone })
    formats.set(timeZone, format)
  }
  return format.format(at)
}
