import assert from 'node:assert/strict'
import test from 'node:test'
import type { Lead } from '../store/leads/rows.ts'
import { dayMs } from '../time.ts'
import { reportOf } from './done.ts'

const now = Date.parse('2026-11-17T23:00:00Z')
const clock = { now, timeZone: 'Australia/Sydney', mailsVisits: true }
const date = { what: 'visit', at: now + dayMs, place: '', isSeen: true } as const
const visit = { date }

function changed(parts: Partial<Lead>, kind = 'lead.state_changed', data: object = {}) {
  const lead = { id: 'hemant', state: 'new', values: { name: 'Hemant' }, ...parts } as Lead
  const event = { leadId: lead.id, number: 1, at: now, kind, data: JSON.stringify(data) }
  return { lead, events: [event], visitEmails: [] } as unknown as Parameters<
    typeof reportOf
  >[1][number]
}

test('a move is told in the words of the state, and asks for what is missing', () => {
  const told = (state: Lead['state'], parts: Partial<Lead> = {}) => {
    const { what, upNext } = reportOf(state, [changed({ state, ...parts })], clock)!
    return [what, upNext]
  }
  assert.deepEqual(told('consultation_booked'), ['Booked', 'Which day?'])
  assert.deepEqual(told('consultation_booked', visit), ['Visit Thu 19\u00A0Nov, 10\u00A0am', ''])
  assert.deepEqual(told('contacted'), ['Contacted', 'When next?'])
  const followUp = { date: { what: 'ring', at: now + 12 * dayMs } } as const
  const proposed = told('proposal_sent', followUp)
  assert.deepEqual(proposed, ['Proposal sent', 'Follow up Mon 30\u00A0Nov.'])
  assert.deepEqual(told('won'), ['Won', ''])
  assert.deepEqual(told('spam'), ['Marked as spam', ''])
})

test('of a visit the bar says what became of it', () => {
  const told = (at: number) => {
    const data = { from: 'consultation_booked', to: 'contacted', was: { what: 'visit', at } }
    const kind = 'lead.state_changed'
    return reportOf('contacted', [changed({ state: 'contacted' }, kind, data)], clock)?.what
  }
  assert.equal(told(now + dayMs), 'Visit called off')
  assert.equal(told(now - dayMs), 'Visit did not happen')
})

test('who calls a visit off hears of the email that goes out', () => {
  const next = (isOff: boolean, mailsVisits = true) => {
    const values = { name: 'Hemant Rao', email: 'hemant@example.com' } as Lead['values']
    const off = changed({ state: 'contacted', values, emailKey: 'key' })
    const told = { at: now + dayMs, place: '', to: 'key', isOff, answers: undefined }
    const options = { ...clock, mailsVisits }
    return reportOf('contacted', [{ ...off, visitEmails: [told] }], options)?.upNext
  }
  assert.equal(next(false), 'Hemant gets an email in 2 minutes. When next?')
  assert.equal(next(true), 'When next?', 'it has gone')
  assert.equal(next(false, false), 'When next?', 'visits are not mailed')
})

test('an undo says where the request stands now', () => {
  const one = reportOf('undone', [changed({ state: 'consultation_booked', ...visit })], clock)!
  assert.deepEqual([one.what, one.name], ['Back to booked, Thu 19\u00A0Nov 10\u00A0am', 'Hemant'])
  assert.equal(reportOf('undone', [changed({ state: 'held' })], clock)?.what, 'Back to held')
  const both = reportOf('undone', [changed({}), changed({ id: 'other' })], clock)!
  assert.deepEqual([both.what, both.name, both.more], ['Undone', '', 1])
})

test('no answer on a request with a date says so, not the date', () => {
  const was = { at: date.at, what: 'visit' }
  const kept = changed(visit, 'lead.tried', { from: 'new', to: 'new', next: was, was })
  assert.equal(reportOf('planned', [kept], clock)?.what, 'No answer, noted')
  const set = changed(visit, 'lead.tried', { from: 'new', to: 'new', next: was })
  assert.equal(
    reportOf('planned', [set], clock)?.what,
    'No answer, visit Thu 19\u00A0Nov, 10\u00A0am',
  )
})

test('a note that was typed with the act does not hide what was done', () => {
  const { lead, events, visitEmails } = changed({}, 'lead.tried', { from: 'new', to: 'new' })
  const noted = { ...events[0]!, number: 2, kind: 'lead.noted', data: '{"by":"robin"}' } as const
  const report = reportOf('planned', [{ lead, events: [...events, noted], visitEmails }], clock)
  assert.equal(report?.what, 'No answer, noted')
})

test('after a corrected email the owner hears that the visit goes to it', () => {
  const booked = { state: 'consultation_booked', ...visit } as const
  const words = (fields: string[], email = 'hemant@example.com', options = clock) => {
    const data = { from: booked.state, to: booked.state, fields }
    const lead = { ...booked, values: { name: 'Hemant', email } as Lead['values'] }
    return reportOf('corrected', [changed(lead, 'lead.corrected', data)], options)?.upNext
  }
  assert.equal(words(['email']), 'The visit goes to the new email in 2 minutes.')
  assert.equal(words(['phone']), '')
  assert.equal(words(['email'], ''), '', 'the email was removed')
  assert.equal(words(['email'], undefined, { ...clock, mailsVisits: false }), '')
})

test('what has changed since is not told', () => {
  assert.equal(reportOf('won', [changed({ state: 'lost' })], clock), undefined)
})
