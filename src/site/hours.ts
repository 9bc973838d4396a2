/** The opening hours in words. */
import { days } from '../contract/business.ts'
import type { Day, Hours } from '../contract/business.ts'

/** "Monday to Friday" and "7 am to 4:30 pm". */
export type HoursInWords = { days: string; times: string }

export function hoursInWords(hours: readonly Hours[]): HoursInWords[] {
  return hours.map(({ days: open, opens, closes }) => ({
    days: daysInWords(open),
    times: `${toClock(opens)} to ${toClock(closes)}`,
  }))
}

/** "Mon–Fri 7 am to 4:30 pm", one for each entry: as short as it can be said. */
export function shortHours(hours: readonly Hours[]): string[] {
  return hours.map(
    ({ days: open, opens, closes }) => `${shortDays(open)} ${toClock(opens)} to ${toClock(closes)}`,
  )
}

/** "Monday to Friday" for consecutive days. */
function daysInWords(open: readonly Day[]): string {
  return isRun(open) ? `${open[0]} to ${open.at(-1)}` : open.join(', ')
}

function shortDays(open: readonly Day[]): string {
  const short = open.map((day) => day.slice(0, 3))
  return isRun(open) ? `${short[0]}–${short.at(-1)}` : short.join(', ')
}

/** Three days or more that follow each other. */
function isRun(open: readonly Day[]): boolean {
  const places = open.map((day) => days.indexOf(day))
  return open.length > 2 && places.every((place, index) => place === places[0]! + index)
}

/** "16:30" becomes "4:30 pm". */
function toClock(time: string): string {
  if (time === '12:00') return 'noon'
  const [hour = 0, minute = 0] = time.split(':').map(Number)
  const twelve = hour % 12 === 0 ? 12 : hour % 12
  const minutes = minute === 0 ? '' : `:${String(minute).padStart(2, '0')}`
  return `${twelve}${minutes} ${hour < 12 ? 'am' : 'pm'}`
}
