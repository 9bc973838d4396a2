/** What a row of a list shows, as data. The pages of the inbox draw it. */
import { ordinal, plural } from '../words.ts'
import {
  begunStates,
  openStates,
  untouchedDays,
  type Next,
  type State,
} from '../contract/states.ts'
import { asksForAnotherTime, isCalledOff, isOverdue, visitOf } from '../contract/visit.ts'
import { callLinks, replyLink } from '../lead/contact-links.ts'
import { messagesIn, type Lead } from '../store/leads/rows.ts'
import { partOf } from '../store/leads/today.ts'
import { dayMs, daysSince, namedDay, partsOf } from '../time.ts'
import {
  joinWords,
  nearDate,
  shortDay,
  todoInShort,
  todoOf,
  sumInWords,
  type LocalNow,
} from './plan.ts'
import { views, type LeadRow, type ViewName } from './views.ts'
import { shortWord, takenWords, type NameOf } from './words.ts'

export type RowOptions = {
  now: number
  timeZone: string
  view: ViewName
  nameOf: NameOf
  /** The id of the newest lead that the member has seen. Newer rows are marked. */
  seen?: string | undefined
}

/** Rows below one heading. The heading is '' if the rows need none. `without`: what a day without a visit is. */
export type RowGroup = { heading: string; rows: ShownRow[]; without?: 'free' | 'closed' }

export type ShownRow = {
  row: LeadRow
  name: string
  when: When
  /** The place or, for a visit, its street; '' if neither is known. */
  where: string
  /** The start of the message; '' if there is none. */
  message: string
  marks: RowMark[]
  button: RowButton
  /** Whether the row above is of the same person. */
  isSamePerson: boolean
  isFresh: boolean
}

/**
 * A date, a warning that there is none, or an age. `since` is the time to count an age from.
 * `isWaiting`: the customer waits for the owner, or the owner has to do something then.
 */
export type When = { isLate: boolean; isWaiting: boolean } & (
  | { kind: 'date' | 'warning'; words: string }
  | { kind: 'age'; since: number }
)

export type RowMark =
  | { kind: 'warning' | 'person' | 'plain'; words: string }
  | { kind: 'state'; words: string; state: State }

/** `isQuiet`: the request is closed, so the button is no call to action. */
export type RowButton =
  | { kind: 'call'; href: string; extension: string; isQuiet: boolean }
  | { kind: 'mail'; href: string }
  /** The owner says that he has seen that a visit is called off. */
  | { kind: 'seen' }
  | { kind: 'none' }

export function groupRows(rows: readonly LeadRow[], options: RowOptions): RowGroup[] {
  const groups = [...Map.groupBy(rows, (row) => headingOf(row, options))]
  return groups.map(([heading, own]) => {
    // The only group needs no heading if it has no dates.
    const isOnly = groups.length === 1 && own[0]!.date === undefined
    return { heading: isOnly ? '' : heading, rows: own.map((row) => showRow(row, options)) }
  })
}

export const overdueHeading = 'Overdue'

export function showRow(row: LeadRow, options: RowOptions): ShownRow {
  return {
    row,
    name: row.values.name || 'Erased',
    when: whenOf(row, options),
    where: visitOf(row)?.place || row.town,
    message: row.start,
    marks: marksOf(row, options),
    button: buttonOf(row),
    isSamePerson: row.above !== undefined,
    isFresh: Boolean(options.seen) && row.id > options.seen!,
  }
}

function headingOf(row: LeadRow, options: RowOptions): string {
  const { date } = row
  const { now, timeZone, view } = options
  const isToday = view === 'today'
  if (!isToday && !isByDay(view)) return ''
  const part = partOf(row, now)
  if (isToday && part === 'asked') return 'To answer'
  if (date !== undefined) {
    const parts = partsOf(date.at, timeZone, now)
    if (parts.daysAhead === 0) return isToday ? 'Due today' : 'Today'
    return isOverdue(date, now) ? overdueHeading : namedDay(parts)
  }
  if (!isToday) return 'No day yet'
  return part === 'forgotten' ? 'No date, longest wait first' : 'New, longest wait first'
}

/** Whether the rows of the tab stand below the headings of days. */
function isByDay(view: ViewName): boolean {
  return view !== 'today' && views[view].order === 'due'
}

/** A new request that has waited longer than this is late. */
const lateMs = dayMs

function whenOf(row: LeadRow, options: RowOptions): When {
  const { state, receivedAt, date } = row
  const { now, timeZone, view } = options
  if (date !== undefined) {
    const isLate = isCalledOff(row) || isOverdue(date, now)
    return { kind: 'date', words: dateOnRow(row, date, options), isWaiting: true, isLate }
  }
  // The visit of another request answers the person.
  if (hasVisitAhead(row, now))
    return { kind: 'age', since: receivedAt, isWaiting: false, isLate: false }
  const untouched = daysSince(row.touchedAt, timeZone, now)
  if (untouched >= untouchedDays && begunStates.includes(state)) {
    return warning(`no date for ${plural(untouched, 'day')}`)
  }
  if (state === 'consultation_booked' && view !== 'booked') return warning('no day yet')
  const isWaiting = state === 'new'
  const isLate = isWaiting && now - receivedAt >= lateMs
  return { kind: 'age', since: receivedAt, isWaiting, isLate }
}

function hasVisitAhead({ otherVisitAt = 0 }: LeadRow, now: number): boolean {
  return otherVisitAt > now
}

function warning(words: string): When {
  return { kind: 'warning', words, isWaiting: true, isLate: true }
}

/** "ring 4 pm", "visit Thu 19 Nov, 10 am", "late: ring Tue 17 Nov". Below the heading of its day, a visit is "10 am". */
function dateOnRow(row: LeadRow, next: Next, { view, now, timeZone }: RowOptions): string {
  const { what, day, hour } = todoInShort(todoOf(next, row), now, timeZone)
  if (isCalledOff(row)) return `called off: ${joinWords(', ', day, hour)}`
  if (isOverdue(next, now)) {
    return what === 'visit' ? `visit over: ${day || hour}` : `late: ${what} ${day || hour}`
  }
  if (!isByDay(view)) return `${what} ${joinWords(', ', day, hour)}`
  return view === 'booked' && what === 'visit' ? hour : joinWords(' ', what, hour)
}

function marksOf(row: LeadRow, options: RowOptions): RowMark[] {
  const { view, nameOf, now, timeZone } = options
  const marks: RowMark[] = []
  const add = (isShown: boolean, mark: RowMark) => {
    if (isShown) marks.push(mark)
  }
  const plain = (words: string): RowMark => ({ kind: 'plain', words })
  add(asksForAnotherTime(row, now), { kind: 'warning', words: 'asks for another time' })
  add(row.noticeState === 'failed', { kind: 'warning', words: 'no notice went out' })
  add(isStateUnsaid(row, view), { kind: 'state', words: shortWord(row.state), state: row.state })
  if (hasVisitAhead(row, now)) {
    const words = `booked ${nearDate(row.otherVisitAt!, now, timeZone)}`
    marks.push({ kind: 'state', words, state: 'consultation_booked' })
  }
  if (row.takenBy !== undefined) {
    marks.push({ kind: 'person', words: takenWords(nameOf(row.takenBy)) })
  }
  add(row.proposalSum !== undefined, plain(sumInWords(row.proposalSum ?? 0)))
  add(row.nth > 1, plain(`${ordinal(row.nth)} request`))
  if (row.wonAt !== undefined) {
    marks.push({ kind: 'state', words: wonWords(row.wonAt, options), state: 'won' })
  }
  const messages = messagesIn([row]).length + row.joinedMessages.length
  add(messages > 1, plain(plural(messages, 'message')))
  add(row.wroteAgain === true, plain('wrote again'))
  add(row.tries > 0, plain(`${plural(row.tries, 'call')} unanswered`))
  add(row.photos > 0, plain(plural(row.photos, 'photo')))
  add(row.notes !== '', plain('note'))
  return marks
}

/** "won on 5 Nov", "won today". */
export function wonWords(at: number, clock: LocalNow): string {
  const day = shortDay(at, clock)
  return `won ${day === 'today' ? day : `on ${day}`}`
}

/** Many tabs have rows of one state. In Today the date says what there is to do, and so the state. */
function isStateUnsaid({ state, date }: LeadRow, view: ViewName): boolean {
  if (state === 'new') return false
  return view === 'today' ? date === undefined : views[view].states.length > 1
}

function buttonOf(row: LeadRow): RowButton {
  const { reference, state, above } = row
  const { phone, email } = row.values
  if (isCalledOff(row)) return { kind: 'seen' }
  // A request is judged first; its customer is rung or written to afterwards.
  if (state === 'held' || state === 'spam') return { kind: 'none' }
  // The first row of the same person (`above`) has the button already.
  const isRepeated = above !== undefined && canReach(above) && above.values.phone === phone
  if (!canReach(row) || isRepeated) return { kind: 'none' }
  const [call] = callLinks(phone)
  if (call === undefined && email === '') return { kind: 'none' }
  if (call === undefined) return { kind: 'mail', href: replyLink(email, reference) }
  const isQuiet = !openStates.includes(state)
  return { kind: 'call', href: call.href, extension: call.extension, isQuiet }
}

export function canReach({ state }: Lead): boolean {
  return state !== 'withdrawn' && state !== 'erased'
}
