/** The bounds of a workday, and the closed days after it. */
import assert from 'node:assert/strict'
import test from 'node:test'
import { workdayOf } from './workday.ts'

const timeZone = 'Australia/Sydney'
const sydney = (text: string) => Date.parse(`${text}:00+11:00`)

test('a workday lasts from midnight to midnight, and knows when the business opens again', () => {
  const hours = [
    { days: ['Monday', 'Thursday', 'Saturday'], opens: '07:00', closes: '16:00' },
  ] as const
  const opensAgain = (at: string) => workdayOf(sydney(at), { timeZone, hours }).opensAgain
  assert.deepEqual(workdayOf(sydney('2026-11-21T07:00'), { timeZone, hours }), {
    from: sydney('2026-11-21T00:00'),
    before: sydney('2026-11-22T00:00'),
    opensAgain: sydney('2026-11-23T00:00'),
  })
  assert.equal(opensAgain('2026-11-23T07:00'), sydney('2026-11-26T00:00'))
  assert.equal(opensAgain('2026-11-26T23:59'), sydney('2026-11-28T00:00'))
})

test('a business that is open on one day of the week opens again a week later', () => {
  const hours = [{ days: ['Friday'], opens: '07:00', closes: '16:00' }] as const
  const { opensAgain } = workdayOf(sydney('2026-11-20T07:00'), { timeZone, hours })
  assert.equal(opensAgain, sydney('2026-11-27T00:00'))
})
