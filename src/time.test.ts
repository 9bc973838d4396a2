import assert from 'node:assert/strict'
import test from 'node:test'
import { inWords, isOpen, localTime, type Day } from './time.ts'

const weekdays: Day[] = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday']
const opening = {
  timeZone: 'Australia/Sydney',
  hours: [
    { days: weekdays, opens: '07:00', closes: '16:30' },
    { days: ['Saturday' as Day], opens: '08:00', closes: '12:00' },
  ],
}
/** In November Sydney is eleven hours ahead. */
const sydney = (text: string) => Date.parse(`${text}:00+11:00`)

test('the time of the business is told in its own zone', () => {
  assert.deepEqual(localTime(Date.UTC(2026, 10, 15, 14, 5), 'Australia/Sydney'), {
    date: '2026-11-16',
    day: 'Monday',
    minute: 65,
  })
})

test('a time of another year is told with the year', () => {
  const now = sydney('2026-11-16T10:00')
  const told = (text: string) => inWords(sydney(text), opening.timeZone, now)
  assert.equal(told('2026-01-05T18:21'), 'Mon, 5 Jan, 6:21 pm')
  assert.equal(told('2023-11-18T18:21'), 'Sat, 18 Nov 2023, 6:21 pm')
})

test('opening hours hold on their days, from the first minute to before the last', () => {
  const at = (text: string) => isOpen(sydney(text), opening)
  assert.deepEqual(
    ['2026-11-16T06:59', '2026-11-16T07:00', '2026-11-16T16:29', '2026-11-16T16:30'].map(at),
    [false, true, true, false],
  )
  assert.deepEqual(['2026-11-21T11:59', '2026-11-21T12:00', '2026-11-22T09:00'].map(at), [
    true,
    false,
    false,
  ])
})
