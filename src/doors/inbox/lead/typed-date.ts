/** Reads the typed day of a visit or of a call, and says why it is no date or may be a mistake. */
import { normaliseText } from '../../../contract/check-fields.ts'
import { longestPlace } from '../../../contract/limits.ts'
import { checkMoment, readMoment, usualHour, type DateProblem } from '../../../desk/plan.ts'
import { type Doubt } from '../../../desk/visits.ts'
import { type VisitDate } from '../../../lead/asking.ts'
import { type Lead } from '../../../store/leads/rows.ts'
import { dateInWords } from '../../../time.ts'
import { type ActFields } from '../act-fields.ts'
import { type Inbox } from '../frame/inbox.ts'
import { withoutControls } from '../frame/words.ts'
import { type Refusal } from './acts-form.ts'

/** `date.next` is left out if no day was typed. */
export type TypedDate = { date: VisitDate } | WrongDate
type WrongDate = { problem: DateProblem }

export function readTypedVisit(fields: ActFields, { business, now }: Inbox): TypedDate {
  const { day, time, plan, book, shown } = fields
  // An empty place removes the stored one only if a button of the visit was pressed.
  const isFromForm = plan === 'visit' || book !== undefined
  const typed = normaliseText(fields.place).slice(0, longestPlace)
  const place = isFromForm ? typed : typed || undefined
  if (day === '' && time === '' && !isFromForm) return { date: { place } }
  const moment = readMoment({ day, time }, now(), business.timeZone)
  if ('problem' in moment) return moment
  const next = { at: moment.at, what: 'visit' } as const
  return { date: { next, place, shown: shown !== undefined } }
}

/** An offered time, or a picked day, which may come without an hour. */
export function readTypedRing(fields: ActFields, inbox: Inbox): TypedDate {
  const { plan, ring, time } = fields
  const day = fields['ring-day'] || fields.day
  if (ring === undefined && plan !== 'ring') return { date: {} }
  const { business, now } = inbox
  const hour = time || usualHour(day, now(), business)
  const moment =
    ring === undefined
      ? readMoment({ day, time: hour }, now(), business.timeZone)
      : checkMoment(ring, now())
  return 'problem' in moment ? moment : { date: { next: { at: moment.at, what: 'ring' } } }
}

const problemWords: Record<DateProblem, string> = {
  'no day': 'Choose a day.',
  'no hour': 'Choose an hour, such as 3 pm.',
  'no such day': 'There is no such day. Choose another one.',
  'too far ahead': 'That day is too far ahead. Check the year.',
  'too long ago': 'That day is too long ago. Check the year.',
}

export function dateRefusal({ problem }: WrongDate, { plan }: Pick<ActFields, 'plan'>): Refusal {
  const above = plan === 'ring' ? 'ring' : 'date'
  const focus = problem === 'no hour' ? 'hour' : 'day'
  return { words: problemWords[problem], above, focus }
}

/** A visit that may be a mistake is saved only after the member has confirmed it. */
export function doubtRefusal(doubt: Doubt, { business, now }: Inbox): Refusal {
  const when = (at: number) => dateInWords(at, business.timeZone, now())
  const { next, other, isPast, isNight, clash } = doubt
  const words = [
    other && otherWords(other.lead, when),
    isPast && `This visit would be in the past: ${when(next.at)}.`,
    isNight && `Did you mean ${when(next.at)}?`,
    clash && `You visit ${withoutControls(clash.values.name)} then: ${when(clash.date!.at)}.`,
  ]
  return { words: words.filter(Boolean).join(' '), above: 'date', focus: 'day', doubt }
}

function otherWords({ values, date: other }: Lead, when: (at: number) => string): string {
  const date = when(other!.at)
  const on = date.startsWith('today') ? '' : 'on '
  return `${withoutControls(values.name)} has a visit ${on}${date}, by another request.`
}
