/** Time zones, dates in words, and work that repeats at intervals. */
export const secondMs = 1_000
export const minuteMs = 60 * secondMs
export const hourMs = 60 * minuteMs
export const dayMs = 24 * hourMs

/** "ten minutes", "30 days": in the largest unit of which the time is a whole number. */
export function durationInWords(ms: number): string {
  const [unit, unitMs] = units.find(([, each]) => ms % each === 0) ?? units.at(-1)!
  const count = ms / unitMs
  return `${smallNumber(count)} ${unit}${count === 1 ? '' : 's'}`
}

const units = [
  ['day', dayMs],
  ['hour', hourMs],
  ['minute', minuteMs],
  ['second', secondMs],
] as const

/** "five", "11". */
export function smallNumber(number: number): string {
  return smallNumbers[number] ?? String(number)
}

const smallNumbers = 'no one two three four five six seven eight nine ten'.split(' ')

export const days = [
  'Monday',
  'Tuesday',
  'Wednesday',
  'Thursday',
  'Friday',
  'Saturday',
  'Sunday',
] as const

export type Day = (typeof days)[number]

/** Times such as "07:00", in the time zone of the business. */
export type Hours = {
  readonly days: readonly Day[]
  readonly opens: string
  readonly closes: string
}

/** `date` looks like 2026-11-15. `minute` counts from midnight. */
export type LocalTime = { date: string; day: Day; minute: number }

export function localTime(atMs: number, timeZone: string): LocalTime {
  const found = formatOf('parts', timeZone).formatToParts(atMs)
  const parts = Object.fromEntries(found.map(({ type, value }) => [type, value]))
  return {
    date: `${parts['year']}-${parts['month']}-${parts['day']}`,
    day: parts['weekday'] as Day,
    minute: Number(parts['hour']) * 60 + Number(parts['minute']),
  }
}

/** `minute` counts from the midnight at which `date` begins, and may be 1440 or more. */
export function momentOf(date: string, minute: number, timeZone: string): number {
  const shown = Date.parse(`${date}T00:00Z`) + minute * minuteMs
  const toShown = (at: number) => {
    const local = localTime(at, timeZone)
    return Date.parse(`${local.date}T00:00Z`) + local.minute * minuteMs
  }
  const near = shown - (toShown(shown) - shown)
  // If the clocks change between `shown` and `near`, the offset at `near` is the right one.
  return near - (toShown(near) - shown)
}

export function endOfDay(atMs: number, timeZone: string): number {
  return momentOf(localTime(atMs, timeZone).date, 24 * 60, timeZone)
}

/** "Mon, 16 Nov, 10:00 am"; with the year if `atMs` is long before `nowMs`. */
export function inWords(atMs: number, timeZone: string, nowMs = atMs): string {
  return formatOf(nowMs - atMs < longAgoMs ? 'short' : 'withYear', timeZone).format(atMs)
}

/** "Monday, 16 November 2026 at 10:00 am". */
export function inFullWords(atMs: number, timeZone: string): string {
  return formatOf('full', timeZone).format(atMs)
}

/** A moment as people name it. Sentences are joined from these parts, and never taken apart again. */
export type DateParts = {
  day: Day
  number: number
  month: string
  /** "Nov", "Sept". */
  shortMonth: string
  year: number
  isThisYear: boolean
  /** "3 pm", "noon". */
  hour: string
  /** 0 is today, 1 tomorrow, -1 yesterday. */
  daysAhead: number
}

export function partsOf(atMs: number, timeZone: string, nowMs: number): DateParts {
  const { date, day, minute } = localTime(atMs, timeZone)
  const [year = 0, month = 1, number = 1] = date.split('-').map(Number)
  return {
    day,
    number,
    month: months[month - 1]!,
    shortMonth: shortMonths[month - 1]!,
    year,
    isThisYear: year === Number.parseInt(localTime(nowMs, timeZone).date, 10),
    hour: toClock(toTime24(minute)),
    daysAhead: -daysSince(atMs, timeZone, nowMs),
  }
}

const months = [
  ['January', 'February', 'March', 'April', 'May', 'June'],
  ['July', 'August', 'September', 'October', 'November', 'December'],
].flat()

/** `Intl` writes them so in Australian English. */
const shortMonths = months.map((month) =>
  month.length <= 4 ? month : month.slice(0, month === 'September' ? 4 : 3),
)

/** "today" or "Thursday 20 November"; with the year if it is not this year. */
export function namedDay(parts: DateParts): string {
  if (parts.daysAhead === 0) return 'today'
  const { day, number, month, year, isThisYear } = parts
  return `${day} ${number} ${month}${isThisYear ? '' : ` ${year}`}`
}

/** "5 Nov"; with the year if it is not this year. */
export function dayAndMonth({ number, shortMonth, year, isThisYear }: DateParts): string {
  return `${number} ${shortMonth}${isThisYear ? '' : ` ${year}`}`
}

/** "today, 4 pm" or "Thursday 20 November, 3 pm"; with the year if it is not that of `nowMs`. */
export function dateInWords(atMs: number, timeZone: string, nowMs: number): string {
  const parts = partsOf(atMs, timeZone, nowMs)
  return `${namedDay(parts)}, ${parts.hour}`
}

/** "Thursday 19 November 2026". */
export function dayInWords(atMs: number, timeZone: string): string {
  const { day, number, month, year } = partsOf(atMs, timeZone, atMs)
  return `${day} ${number} ${month} ${year}`
}

/** "Thu 19 Nov, 3 pm". */
export function dateInShort(atMs: number, timeZone: string): string {
  const { day, number, shortMonth, hour } = partsOf(atMs, timeZone, atMs)
  return `${day.slice(0, 3)} ${number} ${shortMonth}, ${hour}`
}

/** "2:10 am" for today, "yesterday", "Friday" for two to six days ago, and "3 November". */
export function sinceWords(atMs: number, timeZone: string, nowMs: number): string {
  const daysAgo = daysSince(atMs, timeZone, nowMs)
  if (daysAgo > 6) return formatOf('date', timeZone).format(atMs)
  if (daysAgo > 1) return localTime(atMs, timeZone).day
  return daysAgo === 1 ? 'yesterday' : formatOf('clock', timeZone).format(atMs)
}

export function daysSince(atMs: number, timeZone: string, nowMs: number): number {
  const [then, now] = [localTime(atMs, timeZone), localTime(nowMs, timeZone)]
  return (Date.parse(now.date) - Date.parse(then.date)) / dayMs
}

/** Older times get their year, because their month could be taken for one of this year. */
const longAgoMs = 330 * dayMs

const dayAndTime = {
  weekday: 'short',
  day: 'numeric',
  month: 'short',
  hour: 'numeric',
  minute: '2-digit',
} as const

const styles = {
  parts: {
    weekday: 'long',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  },
  short: dayAndTime,
  withYear: { ...dayAndTime, year: 'numeric' },
  date: { day: 'numeric', month: 'long' },
  clock: { timeStyle: 'short' },
  full: { dateStyle: 'full', timeStyle: 'short' },
} as const

const formats: Record<string, Intl.DateTimeFormat> = {}

/** Each format takes about 100 KB outside the JavaScript heap, so formats are used again. */
function formatOf(style: keyof typeof styles, timeZone: string): Intl.DateTimeFormat {
  return (formats[`${style} ${timeZone}`] ??= new Intl.DateTimeFormat('en-AU', {
    ...styles[style],
    timeZone,
  }))
}

/** `morning`: when the day of the owner begins, if the business opens before. `undefined`: closed all day. */
export function openingMinute(
  day: Day,
  hours: readonly Hours[],
  morning?: string,
): number | undefined {
  const open = hours.filter((each) => each.days.includes(day))
  if (open.length === 0) return undefined
  return Math.min(...open.map(({ opens }) => toMinute(notBefore(morning, opens))))
}

/** The later of the two times of day. */
export function notBefore(morning: string | undefined, opens: string): string {
  return morning !== undefined && opens < morning ? morning : opens
}

export function toTime24(minute: number): string {
  const parts = [Math.floor(minute / 60), minute % 60]
  return parts.map((each) => String(each).padStart(2, '0')).join(':')
}

export function toMinute(clock: string): number {
  const [hours = '0', minutes = '0'] = clock.split(':')
  return Number(hours) * 60 + Number(minutes)
}

/** Days such as "Monday to Friday" (short: "Mon–Fri"), and times such as "7 am to 4:30 pm" or "24 hours". */
export function hoursInWords({ days: open, opens, closes }: Hours, isShort = false) {
  const isAllDay = opens === '00:00' && closes === '23:59'
  const times = isAllDay ? 'day and night' : `${toClock(opens)} to ${toClock(closes)}`
  if (isAllDay && open.length === days.length) {
    return { days: isShort ? '' : 'Every day', times }
  }
  const names = isShort ? open.map((day) => day.slice(0, 3)) : open
  const to = isShort ? '–' : ' to '
  const first = days.indexOf(open[0]!)
  const isRun = open.length > 2 && open.every((day, index) => day === days[first + index])
  return {
    days: isRun ? `${names[0]}${to}${names.at(-1)}` : names.join(', '),
    times,
  }
}

/** Turns "16:30" into "4:30 pm", and "12:00" into "noon". */
export function toClock(time24: string): string {
  if (time24 === '12:00') return 'noon'
  const [hour = 0, minute = 0] = time24.split(':').map(Number)
  const minutes = minute === 0 ? '' : `:${String(minute).padStart(2, '0')}`
  return `${hour % 12 || 12}${minutes} ${hour < 12 ? 'am' : 'pm'}`
}

/** `stop` resolves when a running call has ended. */
export type ByClock = { stop(): Promise<void> }

/** `work` is called again `everyMs` after its end, and must not reject. */
export function repeatByClock(
  work: () => Promise<void>,
  everyMs: number,
  firstMs = everyMs,
): ByClock {
  let timer: NodeJS.Timeout | undefined
  let working: Promise<void> | undefined
  let stopped = false
  plan(firstMs)
  return {
    async stop() {
      stopped = true
      clearTimeout(timer)
      await working
    },
  }

  function plan(waitMs: number): void {
    if (stopped) return
    timer = setTimeout(() => {
      working = work().then(() => plan(everyMs))
    }, waitMs).unref()
  }
}
