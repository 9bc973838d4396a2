import assert from 'node:assert/strict'
import test from 'node:test'
import { inWords, localTime, momentOf, sinceWords, toMinute } from './time.ts'

/** In November Sydney is eleven hours ahead. */
const sydney = (text: string) => Date.parse(`${text}:00+11:00`)

test('the time of the business is told in its own zone', () => {
  assert.deepEqual(localTime(Date.UTC(2026, 10, 15, 14, 5), 'Australia/Sydney'), {
    date: '2026-11-16',
    day: 'Monday',
    minute: 65,
  })
})

test('a time of the business is the right moment before, on and after the day when its clocks change', () => {
  const summer = '+11:00'
  const winter = '+10:00'
  const visits = [
    ['2026-04-04', '16:30', summer],
    ['2026-04-05', '01:30', summer],
    ['2026-04-05', '03:30', winter],
    ['2026-04-05', '16:30', winter],
    ['2026-04-06', '07:00', winter],
    ['2026-10-03', '07:00', winter],
    ['2026-10-03', '16:30', winter],
    ['2026-10-03', '18:00', winter],
    ['2026-10-04', '01:30', winter],
    ['2026-10-04', '03:30', summer],
    ['2026-10-04', '16:30', summer],
    ['2026-10-05', '07:00', summer],
  ] as const
  for (const [date, time, offset] of visits) {
    const moment = momentOf(date, toMinute(time), 'Australia/Sydney')
    const expected = Date.parse(`${date}T${time}:00${offset}`)
    assert.equal(new Date(moment).toISOString(), new Date(expected).toISOString(), date + time)
  }
})

test('a time of another year is told with the year', () => {
  const now = sydney('2026-11-16T10:00')
  const told = (text: string) => inWords(sydney(text), 'Australia/Sydney', now)
  assert.equal(told('2026-01-05T18:21'), 'Mon, 5 Jan, 6:21 pm')
  assert.equal(told('2023-11-18T18:21'), 'Sat, 18 Nov 2023, 6:21 pm')
})

test('a wait is told by the time of today, yesterday, the day of a week, then the date', () => {
  const now = sydney('2026-11-16T10:00')
  const told = (text: string) => sinceWords(sydney(text), 'Australia/Sydney', now)
  assert.deepEqual(
    ['2026-11-16T02:10', '2026-11-15T23:59', '2026-11-10T00:00', '2026-11-09T23:59'].map(told),
    ['2:10 am', 'yesterday', 'Tuesday', '9 November'],
  )
})
