import assert from 'node:assert/strict'
import test from 'node:test'
import { days } from '../time.ts'
import {
  addressIn,
  followUpAt,
  noNeedUntil,
  readMoment,
  ringOffers,
  usualHour,
  visitDays,
} from './plan.ts'

const timeZone = 'Australia/Sydney'
const weekdays = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday'] as const
const opening = { timeZone, hours: [{ days: weekdays, opens: '07:00', closes: '16:30' }] }
const at = (text: string) => Date.parse(text)

test('times to ring again lie in opening hours, the soonest first', () => {
  const offered = (now: string) =>
    ringOffers(at(now), opening).map((offer) => `${offer.label} ${new Date(offer.at).toJSON()}`)
  // Monday, 11 am.
  assert.deepEqual(offered('2026-11-16T00:00Z'), [
    'Today 4 pm 2026-11-16T05:00:00.000Z',
    'Tomorrow 7 am 2026-11-16T20:00:00.000Z',
    'Friday 2026-11-19T20:00:00.000Z',
    'Next week 2026-11-22T20:00:00.000Z',
  ])
  // Friday, 4 pm: today is over, and "Friday" would not say which one.
  assert.deepEqual(offered('2026-11-20T05:00Z'), ['Monday 7 am 2026-11-22T20:00:00.000Z'])
  // Thursday: tomorrow is Friday.
  assert.ok(!offered('2026-11-19T00:00Z').some((offer) => offer.startsWith('Friday')))
  // Saturday, the day before clocks go forward: 7 am on Monday is an hour earlier in UTC.
  assert.equal(offered('2026-10-03T00:00Z')[0], 'Monday 7 am 2026-10-04T20:00:00.000Z')
  // Half an hour before midnight of a day that is 25 hours later than it was: the next day is not skipped.
  const everyDay = { ...opening, hours: [{ ...opening.hours[0]!, days }] }
  const [next] = ringOffers(at('2026-10-03T13:30Z'), everyDay)
  assert.deepEqual(next, { label: 'Tomorrow 7 am', at: at('2026-10-03T20:00Z') })
})

test('this afternoon is offered only while the business is open then', () => {
  const monday = at('2026-11-16T00:00Z')
  const firstWith = (...hours: [opens: string, closes: string][]) => {
    const opened = hours.map(([opens, closes]) => ({ days: weekdays, opens, closes }))
    return ringOffers(monday, { timeZone, hours: opened })[0]!.label
  }
  assert.equal(firstWith(['07:00', '12:00'], ['13:00', '17:00']), 'Today 4 pm')
  assert.equal(firstWith(['18:00', '22:00']), 'Tomorrow 6 pm')
})

test('a visit is offered today, too, while the business is open for an hour yet', () => {
  const always = { timeZone, hours: [{ days, opens: '00:00', closes: '23:59' }], morning: '07:00' }
  const offered = (now: string, when: typeof always) =>
    visitDays(at(now), when, []).map(({ label }) => label.replace('\u00A0', ' '))
  // Monday, 9:40 pm.
  assert.deepEqual(offered('2026-11-16T21:40+11:00', always), [
    'Today',
    'Tue 17',
    'Wed 18',
    'Thu 19',
    'Fri 20',
  ])
  assert.equal(offered('2026-11-16T23:30+11:00', always)[0], 'Tue 17')
})

test('no need to ring means the first open day after thirty days', () => {
  // Monday 16 November: thirty days later is a Wednesday.
  assert.equal(noNeedUntil(at('2026-11-16T00:00Z'), opening), at('2026-12-15T20:00Z'))
  // Thursday 19 November: thirty days later is a Saturday.
  assert.equal(noNeedUntil(at('2026-11-19T00:00Z'), opening), at('2026-12-20T20:00Z'))
  const closed = { timeZone, hours: [] }
  assert.equal(noNeedUntil(at('2026-11-16T00:00Z'), closed), at('2026-12-16T00:00Z'))
})

test('a proposal is followed up a week later, when the business opens', () => {
  const monday = at('2026-11-16T00:00Z')
  assert.equal(followUpAt(monday, opening), at('2026-11-22T20:00Z'))
  assert.equal(followUpAt(at('2026-11-21T00:00Z'), opening), at('2026-11-29T20:00Z'), 'no Saturday')
})

test('the address that a person wrote is offered for the visit', () => {
  const said = 'We live at 12/3 Old Ferry Road, near the school. The deck is 4 by 6.'
  assert.equal(addressIn(said, 'Byron Bay'), '12/3 Old Ferry Road, Byron Bay')
  assert.equal(addressIn('We are at Unit 4, 88 Jonson Street.', ''), 'Unit 4, 88 Jonson Street')
  assert.equal(addressIn('A deck of 4 by 6 metres, one step up', 'Byron Bay'), '')
})

test('a typed day and hour are those of the business; what is none says why', () => {
  const now = at('2026-11-16T00:00Z')
  const read = (day: string, time = '15:00') => readMoment({ day, time }, now, timeZone)
  assert.deepEqual(read('2026-11-20'), { at: at('2026-11-20T04:00Z') })
  const wrong = {
    '': 'no day',
    '2026-02-30': 'no such day',
    '2026-11-31': 'no such day',
    '2026-13-01': 'no such day',
    '20 November': 'no such day',
    '2062-11-20': 'too far ahead',
    '1926-11-20': 'too long ago',
  }
  for (const [day, problem] of Object.entries(wrong)) assert.deepEqual(read(day), { problem }, day)
  for (const time of ['', '25:00'])
    assert.deepEqual(read('2026-11-20', time), { problem: 'no hour' })
})

test('a day without an hour means when the business opens then; on a closed day, as on others', () => {
  const saturday = { days: ['Saturday'], opens: '08:00', closes: '12:00' } as const
  const hours = [...opening.hours, saturday]
  const tuesday = Date.parse('2026-11-17T00:00:00Z')
  const opens = (day: string) => usualHour(day, tuesday, { timeZone, hours })
  assert.deepEqual(['2026-11-20', '2026-11-21', '2026-11-22'].map(opens), [
    '07:00',
    '08:00',
    '07:00',
  ])
})

test('today without an hour means until the business closes, and after that it needs one', () => {
  const hourAt = (time: string) =>
    usualHour('2026-11-20', Date.parse(`2026-11-20T${time}+11:00`), opening)
  assert.deepEqual(['06:00', '11:00', '16:29', '16:30'].map(hourAt), [
    '16:30',
    '16:30',
    '16:30',
    '',
  ])
})
