import assert from 'node:assert/strict'
import test from 'node:test'
import { momentOf } from '../time.ts'
import { groupRows, showRow, type RowOptions } from './row.ts'
import { type LeadRow } from './views.ts'

const timeZone = 'Australia/Sydney'
const at = (date: string, hour: number) => momentOf(date, hour * 60, timeZone)
/** A Wednesday. */
const now = at('2026-11-18', 9)
const options: RowOptions = {
  now,
  timeZone,
  view: 'today',
  nameOf: (id) => (id === 'robin' ? 'You' : 'Kim'),
}

type Parts = Omit<Partial<LeadRow>, 'values'> & { values?: Partial<LeadRow['values']> }

function rowOf({ values, ...parts }: Parts = {}): LeadRow {
  const receivedAt = now - 60_000
  const lead = { id: '1', reference: 'C-7K3QM-4X92P', state: 'new', door: 'form', agent: '' }
  const typed = { name: 'Wendy Cho', email: 'wendy@example.com', phone: '0491 570 006' }
  const marks = {
    nth: 1,
    notes: '',
    joinedMessages: [],
    tries: 0,
    touchedAt: receivedAt,
    told: 'told',
  }
  const shown = { town: 'Ballina', start: 'A deck', date: undefined }
  const row = { ...lead, ...marks, ...shown, receivedAt, ...parts }
  return { ...row, values: { ...typed, ...values } } as unknown as LeadRow
}

function headings(rows: LeadRow[], more: Partial<RowOptions> = {}): string[] {
  return groupRows(rows, { ...options, ...more }).map(({ heading }) => heading)
}

const visit = (date: string, hour: number, place = '') =>
  ({ at: at(date, hour), what: 'visit', place, isSeen: true }) as const
const ring = (date: string, hour: number) => ({ at: at(date, hour), what: 'ring' }) as const

test('a row has the name and the date, and the whole street of a visit', () => {
  const row = rowOf({
    state: 'consultation_booked',
    date: visit('2026-11-18', 10, 'Unit 12, 305 Ballina Heights Drive, Cumbalum'),
  })
  const { name, when, where, marks } = showRow(row, options)
  assert.equal(name, 'Wendy Cho')
  assert.deepEqual(when, {
    kind: 'date',
    words: 'visit 10\u00A0am',
    isWaiting: true,
    isLate: false,
  })
  assert.equal(where, 'Unit 12, 305 Ballina Heights Drive, Cumbalum')
  assert.deepEqual(marks, [], 'the date says that a visit is booked')
  assert.equal(showRow({ ...row, date: visit('2026-11-18', 10) }, options).where, 'Ballina')
  const below = showRow(row, { ...options, view: 'booked' }).when
  assert.equal('words' in below && below.words, '10\u00A0am')
})

test('a state is named only where neither the tab nor the date says it', () => {
  const states = (parts: Partial<LeadRow>, view: RowOptions['view'] = 'today') =>
    showRow(rowOf(parts), { ...options, view }).marks.flatMap((mark) =>
      mark.kind === 'state' ? [mark.words] : [],
    )
  assert.deepEqual(states({ state: 'contacted', date: ring('2026-11-18', 16) }), [])
  assert.deepEqual(states({ state: 'contacted' }), ['contacted'])
  assert.deepEqual(states({ state: 'won' }, 'done'), ['won'])
  assert.deepEqual(states({ state: 'contacted', date: ring('2026-11-18', 16) }, 'all'), [
    'contacted',
  ])
  assert.deepEqual(states({}, 'all'), [])
})

test('no row of tomorrow stands below "Due today"', () => {
  const rows = [
    rowOf({ date: ring('2026-11-17', 16) }),
    rowOf({ date: visit('2026-11-18', 10) }),
    rowOf({ date: visit('2026-11-19', 15) }),
    rowOf(),
    rowOf({ state: 'contacted' }),
  ]
  assert.deepEqual(headings(rows), [
    'Overdue',
    'Due today',
    'Thursday 19 November',
    'New, longest wait first',
    'No date, longest wait first',
  ])
  assert.deepEqual(headings(rows.slice(0, 4), { view: 'booked' }), [
    'Overdue',
    'Today',
    'Thursday 19 November',
    'No day yet',
  ])
  assert.deepEqual(headings(rows, { view: 'all' }), [''])
})

test('new requests alone need no heading', () => {
  assert.deepEqual(headings([rowOf(), rowOf()]), [''])
})

test('a new request waits, and is late after a day', () => {
  const when = (receivedAt: number, parts: Partial<LeadRow> = {}) =>
    showRow(rowOf({ receivedAt, ...parts }), options).when
  const since = now - 23 * 3_600_000
  assert.deepEqual(when(since), { kind: 'age', since, isWaiting: true, isLate: false })
  const longer = now - 24 * 3_600_000
  assert.deepEqual(when(longer), { kind: 'age', since: longer, isWaiting: true, isLate: true })
  const won = when(longer, { state: 'won' })
  assert.deepEqual(won, { kind: 'age', since: longer, isWaiting: false, isLate: false })
})

test('a date that has passed is late; one that is called off says so', () => {
  const words = (parts: Partial<LeadRow>) => {
    const { when } = showRow(rowOf(parts), options)
    return [when.kind === 'age' ? '' : when.words, when.isLate]
  }
  assert.deepEqual(words({ date: ring('2026-11-18', 16) }), ['ring 4\u00A0pm', false])
  assert.deepEqual(words({ date: ring('2026-11-17', 16) }), ['late: ring Tue 17\u00A0Nov', true])
  assert.deepEqual(words({ date: ring('2026-11-18', 8) }), ['late: ring 8\u00A0am', true])
  assert.deepEqual(words({ date: visit('2026-11-17', 10) }), ['visit over: Tue 17\u00A0Nov', true])
  const date = visit('2026-11-20', 14)
  assert.deepEqual(words({ state: 'withdrawn', date }), [
    'called off: Fri 20\u00A0Nov, 2\u00A0pm',
    true,
  ])
  const touchedAt = at('2026-11-10', 9)
  assert.deepEqual(words({ state: 'contacted', touchedAt }), ['no date for 8 days', true])
  assert.deepEqual(words({ state: 'consultation_booked' }), ['no day yet', true])
})

test('marks name what is out of the ordinary, in a fixed order', () => {
  const row = rowOf({
    noticeState: 'failed',
    takenBy: 'kim',
    door: 'mcp',
    agent: 'helper 1.0',
    nth: 3,
    wroteAgain: true,
    tries: 2,
    joinedMessages: ['Also a gate', 'Timber only'],
    values: { message: 'A deck' },
    notes: 'Gate code 1234',
  })
  assert.deepEqual(
    showRow(row, options).marks.map(({ words }) => words),
    [
      'no notice went out',
      'Kim looks after this',
      '3rd request',
      '3 messages',
      'wrote again',
      '2 calls unanswered',
      'note',
    ],
  )
})

test('in Ring again, a request that was rung in vain says so, and never "new"', () => {
  const row = rowOf({ tries: 1, date: ring('2026-11-18', 16) })
  const { marks } = showRow(row, { ...options, view: 'contacted' })
  assert.deepEqual(
    marks.map(({ words }) => words),
    ['1 call unanswered'],
  )
})

test('the button calls, or mails without a number, and is not repeated for one person', () => {
  const kind = (parts: Parts) => showRow(rowOf(parts), options).button.kind
  assert.equal(kind({}), 'call')
  assert.equal(kind({ values: { phone: '' } }), 'mail')
  assert.equal(kind({ above: rowOf() }), 'none')
  assert.equal(kind({ above: rowOf({ values: { phone: '0491 570 110' } }) }), 'call')
  assert.equal(kind({ above: rowOf({ state: 'withdrawn' }) }), 'call')
  assert.equal(kind({ state: 'erased' }), 'none')
  assert.equal(kind({ state: 'spam' }), 'none')
  assert.equal(kind({ state: 'held' }), 'none')
  assert.equal(kind({ state: 'withdrawn', date: { what: 'ring', at: now } }), 'seen')
  const { button } = showRow(rowOf({ state: 'won' }), options)
  assert.ok(button.kind === 'call' && button.isQuiet)
})

test('rows that came after the last one the member saw are fresh', () => {
  assert.equal(showRow(rowOf({ id: '2' }), { ...options, seen: '1' }).isFresh, true)
  assert.equal(showRow(rowOf({ id: '1' }), { ...options, seen: '1' }).isFresh, false)
  assert.equal(showRow(rowOf({ id: '2' }), { ...options, seen: '' }).isFresh, false)
})

test('a proposal is followed up on a day, and who left no number is written to', () => {
  const proposal = (date: LeadRow['date']) => rowOf({ state: 'proposal_sent', date })
  const words = (row: LeadRow, view: RowOptions['view']) => showRow(row, { ...options, view }).when
  assert.deepEqual(words(proposal(ring('2026-11-18', 16)), 'today'), {
    kind: 'date',
    words: 'follow up today',
    isWaiting: true,
    isLate: false,
  })
  const next = proposal(ring('2026-11-25', 9))
  assert.deepEqual(headings([next], { view: 'proposals' }), ['Wednesday 25 November'])
  const all = words(next, 'all')
  assert.equal('words' in all && all.words, 'follow up Wed 25\u00A0Nov')
  const written = { ...next, state: 'contacted', values: { ...next.values, phone: '' } } as LeadRow
  const toWrite = words(written, 'all')
  assert.equal('words' in toWrite && toWrite.words, 'write Wed 25\u00A0Nov, 9\u00A0am')
})

test('a customer who asks for another time stands above, to be answered', () => {
  const visitAhead = { state: 'consultation_booked', date: visit('2026-11-26', 10) } as const
  const asks = rowOf({ ...visitAhead, askedAt: now })
  assert.deepEqual(headings([asks, rowOf({ date: ring('2026-11-18', 16) })]), [
    'To answer',
    'Due today',
  ])
  assert.deepEqual(showRow(asks, options).marks[0], {
    kind: 'warning',
    words: 'asks for another time',
  })
  const over = rowOf({ ...visitAhead, date: visit('2026-11-17', 10), askedAt: now })
  assert.deepEqual(headings([over]), ['Overdue'])
  const warnings = showRow(over, options).marks.filter(({ kind }) => kind === 'warning')
  assert.deepEqual(warnings, [], 'nothing to answer any more')
})

test('a person without phone and email has no button', () => {
  assert.deepEqual(showRow(rowOf({ values: { phone: '', email: '' } }), options).button, {
    kind: 'none',
  })
})
