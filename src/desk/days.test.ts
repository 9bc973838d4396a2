import assert from 'node:assert/strict'
import test from 'node:test'
import { momentOf, type Hours } from '../time.ts'
import { groupByDays } from './days.ts'
import type { LeadRow } from './views.ts'

const timeZone = 'Australia/Sydney'
const at = (date: string, hour: number) => momentOf(date, hour * 60, timeZone)
const hours: Hours[] = [
  {
    days: ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday'],
    opens: '07:00',
    closes: '16:30',
  },
]

/** A Wednesday. */
function daysAt(hour: number, rows: LeadRow[]): string[] {
  const now = at('2026-11-18', hour)
  const options = { now, timeZone, view: 'booked', nameOf: () => 'Kim' } as const
  return groupByDays(rows, options, hours).map(({ heading, rows: own, without = '' }) =>
    [heading, ...own.map(({ name }) => name), without].filter(Boolean).join(', '),
  )
}

function booked(name: string, date?: LeadRow['date']): LeadRow {
  const parts = { id: name, name, state: 'consultation_booked', phone: '', email: '', town: '' }
  const marks = {
    nth: 1,
    notes: '',
    joinedMessages: [],
    tries: 0,
    touchedAt: at('2026-11-18', 8),
    start: '',
  }
  return { ...parts, ...marks, date, values: parts } as unknown as LeadRow
}

const visit = (date: string) =>
  ({ at: at(date, 10), what: 'visit', place: '', isSeen: true }) as const

test('Booked has every day of two weeks, says which are free, and keeps what is overdue, later or without a day', () => {
  const rows = [
    booked('Ann', visit('2026-11-16')),
    booked('Ben', visit('2026-11-19')),
    booked('Cat', { at: at('2026-11-20', 16), what: 'ring' }),
    booked('Dee', visit('2026-12-15')),
    booked('Eve'),
  ]
  assert.deepEqual(daysAt(9, rows), [
    'Overdue, Ann',
    'Today, free',
    'Thursday 19 November, Ben',
    'Friday 20 November, Cat, free',
    'Saturday 21 November, closed',
    'Sunday 22 November, closed',
    'Monday 23 November, free',
    'Tuesday 24 November, free',
    'Wednesday 25 November, free',
    'Thursday 26 November, free',
    'Friday 27 November, free',
    'Saturday 28 November, closed',
    'Sunday 29 November, closed',
    'Monday 30 November, free',
    'Tuesday 1 December, free',
    'Tuesday 15 December, Dee',
    'No day yet, Eve',
  ])
})

test('after closing time, today is no free day', () => {
  assert.deepEqual(daysAt(17, []).slice(0, 2), ['Today, closed', 'Thursday 19 November, free'])
})
