import assert from 'node:assert/strict'
import test from 'node:test'
import type { State } from '../contract/states.ts'
import type { LeadEvent } from '../store/leads/events.ts'
import type { Visit } from '../contract/visit.ts'
import type { Lead } from '../store/leads/rows.ts'
import { valuesOf } from '../../test/support/leads.ts'
import { dayMs, hourMs } from '../time.ts'
import { choicesOf, townOf, type Choices } from './choices.ts'
import { headOf, messagesOf } from './head.ts'
import type { LeadRow } from './views.ts'
import type { WholeLead } from './whole-lead.ts'

const timeZone = 'Australia/Sydney'
const weekdays = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday'] as const
const opening = { timeZone, hours: [{ days: weekdays, opens: '07:00', closes: '16:30' }] }
/** Wednesday, ten in the morning. */
const now = Date.parse('2026-11-17T23:00:00Z')
const chooser = { now, opening, memberId: 'robin', hasColleagues: true, mailsVisits: true }
const clock = { now, timeZone }

type LeadParts = Partial<Omit<Lead, 'values'>> & { values?: Partial<Lead['values']> }

function leadOf(parts: LeadParts = {}): Lead {
  const { values, ...others } = parts
  return {
    id: 'wendy',
    reference: 'C-00000-00001',
    joinedTo: '',
    receivedAt: now - dayMs,
    unlisted: '',
    botcheck: '',
    door: 'form',
    agent: '',
    client: '',
    userAgent: '',
    fingerprint: '',
    judgement: { score: 0, reasons: [] },
    state: 'new',
    stateChangedAt: now - dayMs,
    version: 1,
    erasedAt: undefined,
    date: undefined,
    visitPlace: undefined,
    isVisitSeen: undefined,
    takenBy: undefined,
    lostWhy: undefined,
    askedAt: undefined,
    secondPhone: undefined,
    street: undefined,
    emailKey: '',
    phoneKey: '',
    photos: 0,
    ...others,
    values: valuesOf({
      name: 'Wendy Cho',
      email: 'wendy@example.com',
      phone: '0491570006',
      postcode: '2479',
      message: 'A deck',
      ...values,
    }),
  }
}

function wholeOf(lead: Lead, parts: Partial<WholeLead> = {}): WholeLead {
  return {
    lead,
    place: 'Bangalow',
    unlisted: [],
    asSent: {},
    whyHeld: [],
    events: [],
    notes: [],
    joined: [],
    story: [],
    isOpened: true,
    ofPerson: parts.others ?? [],
    others: [],
    ...parts,
  }
}

function rowOf(lead: Lead): LeadRow {
  return { ...lead, ...lead.values } as unknown as LeadRow
}

function eventOf(number: number, at: number, data: object): LeadEvent {
  const kind = 'lead.state_changed'
  return { leadId: 'wendy', number, at, kind, data: JSON.stringify(data) }
}

/** The outcomes as "weight: label", in their order. */
function weighed({ outcomes }: Choices): string[] {
  return outcomes.map(({ weight, label }) => `${weight}: ${label}`)
}

const booked = { state: 'consultation_booked', isVisitSeen: true } as const

function visitAt(at: number): Visit {
  return { what: 'visit', at, place: '', isSeen: true }
}

test('before any call the first outcome is the main one, and what is seldom pressed is quiet', () => {
  const fresh = choicesOf(wholeOf(leadOf()), chooser)
  assert.equal(fresh.question, 'What next?')
  assert.deepEqual(weighed(fresh), [
    'main: Spoke to them',
    'even: No answer',
    'even: Booked',
    'quiet: Not suitable',
    'quiet: Spam',
  ])
  assert.deepEqual(fresh.take, { label: "I'll look after this", value: 'me' })
  const alone = choicesOf(wholeOf(leadOf()), { ...chooser, hasColleagues: false })
  assert.equal(alone.take, undefined, 'nobody else is there to be told')
  assert.equal(fresh.ring?.heading, 'Ring again')
  assert.equal(fresh.visit?.label, 'Book a visit')
  const unreachable = choicesOf(wholeOf(leadOf({ values: { phone: '' } })), chooser)
  assert.ok(!weighed(unreachable).includes('even: No answer'), 'there is no number to ring')
})

test('before a visit every outcome says that it ends the visit, and calling it off says who gets an email', () => {
  const whole = wholeOf(leadOf({ ...booked, date: visitAt(now + dayMs) }))
  const ahead = choicesOf(whole, chooser)
  assert.equal(ahead.question, 'What next?')
  assert.deepEqual(weighed(ahead), [
    'quiet: Proposal sent, and call off the visit',
    'quiet: Won, and call off the visit',
    'quiet: Lost, and call off the visit',
    'quiet: Not suitable, and call off the visit',
    'back: Call off the visit and email Wendy',
    'even: No answer',
  ])
  const spokeFirst = eventOf(1, now - dayMs, { from: 'contacted', to: booked.state, by: 'robin' })
  const offered = weighed(choicesOf({ ...whole, events: [spokeFirst] }, chooser))
  assert.ok(offered.includes('back: Call off the visit and email Wendy'), 'beside the undo')
  assert.equal(ahead.ring, undefined, 'ringing again would replace the visit')
  assert.deepEqual([ahead.visit?.day, ahead.visit?.time], ['2026-11-19', '10:00'])
  const unmailed = choicesOf(whole, { ...chooser, mailsVisits: false })
  assert.ok(weighed(unmailed).includes('back: Call off the visit'))
  assert.equal(unmailed.visit?.shownLabel, "Show the time on Wendy's receipt")
})

test('somebody who is known by a number only is called "them"', () => {
  const values = { name: '0491 570 006' }
  const whole = wholeOf(leadOf({ ...booked, date: visitAt(now + dayMs), values }))
  const mailed = choicesOf(whole, chooser)
  assert.ok(weighed(mailed).includes('back: Call off the visit and email them'))
  assert.equal(mailed.visit?.shownLabel, 'Email them the time')
  assert.equal(mailed.visit?.keepHint, 'Keeping it emails them that the time stays.')
  const unmailed = choicesOf(whole, { ...chooser, mailsVisits: false })
  assert.equal(unmailed.visit?.shownLabel, 'Show the time on their receipt')
})

test('once the hour of the visit has come, nothing offers to call it off', () => {
  const whole = wholeOf(leadOf({ ...booked, date: visitAt(now - hourMs / 2) }))
  const begun = choicesOf(whole, chooser)
  assert.equal(begun.question, 'What next?')
  assert.deepEqual(
    weighed(begun).filter((words) => words.includes('visit')),
    ['even: The visit did not happen'],
  )
})

test('after the visit the question is how it went, also once a day to ring is set', () => {
  const visit = { at: now - dayMs, what: 'visit' }
  const move = eventOf(1, now - 3 * dayMs, {
    from: 'new',
    to: booked.state,
    by: 'robin',
    next: visit,
  })
  const over = choicesOf(
    wholeOf(leadOf({ ...booked, date: visitAt(visit.at) }), { events: [move] }),
    chooser,
  )
  assert.equal(over.question, 'How did the visit go?')
  assert.deepEqual(weighed(over), [
    'even: Proposal sent',
    'even: Won',
    'even: Lost',
    'quiet: Not suitable',
    'even: The visit did not happen',
    'quiet: Rang, no answer',
  ])
  const ring = { at: now + 5 * dayMs, what: 'ring' } as const
  const again = eventOf(2, now, { from: booked.state, to: booked.state, next: ring, was: visit })
  const ringing = wholeOf(leadOf({ ...booked, date: ring }), {
    events: [move, again],
  })
  const chased = choicesOf(ringing, chooser)
  assert.equal(chased.question, 'How did the visit go?')
  assert.equal(chased.undo, 'Undo: "ring Monday"')
})

test('of a proposal the question is what became of it, and its day is to follow up', () => {
  const next = { at: now + 7 * dayMs, what: 'ring' } as const
  const sent = eventOf(1, now, { from: booked.state, to: 'proposal_sent', by: 'robin', next })
  const lead = leadOf({ state: 'proposal_sent', date: next })
  const whole = wholeOf(lead, { events: [sent] })
  const choices = choicesOf(whole, chooser)
  assert.equal(choices.question, 'What became of the proposal?')
  assert.deepEqual(weighed(choices), [
    'even: Won',
    'even: Lost',
    'quiet: Not suitable',
    'back: Back to contacted',
    'quiet: Rang, no answer',
  ])
  assert.equal(choices.undo, 'Undo: "proposal sent"')
  assert.equal(choices.ring?.heading, 'When do you follow up?')
  assert.deepEqual(
    choices.ring?.offers.map(({ label }) => label),
    ['In 3 days', 'In a week', 'In 2 weeks', 'In a month'],
  )
  const later = { from: 'proposal_sent', to: 'proposal_sent', by: 'robin', next }
  const planned = { ...eventOf(2, now, later), kind: 'lead.planned' as const }
  const changed = choicesOf(wholeOf(lead, { events: [sent, planned] }), chooser)
  assert.equal(changed.undo, 'Undo: "follow up 25 Nov"')
  assert.equal(
    headOf(whole, clock, () => 'You').date?.words,
    'Follow up: Wednesday 25 November, 10 am',
  )
})

test('a step back leads only to where the request has been', () => {
  const backOf = (...path: State[]) => {
    const events = path
      .slice(1)
      .map((to, index) => eventOf(index + 1, now, { from: path[index], to, by: 'robin' }))
    const taken = { ...eventOf(9, now, { by: 'robin' }), kind: 'lead.taken' as const }
    const lead = leadOf({ state: path.at(-1)! })
    const { outcomes, undo } = choicesOf(wholeOf(lead, { events: [...events, taken] }), chooser)
    const back = outcomes.filter(({ weight }) => weight === 'back').map(({ label }) => label)
    return [...back, undo]
  }
  assert.deepEqual(backOf('new', 'contacted', 'lost'), ['Back to new', 'Undo: "lost"'])
  assert.deepEqual(backOf('new', 'contacted', 'proposal_sent', 'won'), ['Undo: "won"'])
  assert.deepEqual(backOf('new', 'contacted', 'proposal_sent', 'lost'), [
    'Back to contacted',
    'Back to new',
    'Undo: "lost"',
  ])
  assert.deepEqual(backOf('new', 'not_suitable'), ['Undo: "not suitable"'])
  assert.deepEqual(backOf('new', booked.state, 'proposal_sent', 'won'), [
    'Back to booked',
    'Undo: "won"',
  ])
})

test('an undo says what it takes back', () => {
  const labelOf = (data: object, kind: LeadEvent['kind'] = 'lead.state_changed') => {
    const event = { ...eventOf(1, now, data), kind }
    return choicesOf(wholeOf(leadOf(), { events: [event] }), chooser).undo
  }
  const visit = { at: Date.parse('2026-12-03T04:00Z'), what: 'visit' }
  assert.equal(labelOf({ from: 'new', to: 'contacted' }), 'Undo: "spoke to them"')
  assert.equal(labelOf({ from: 'held', to: 'new' }, 'lead.released'), 'Undo: "release"')
  assert.equal(labelOf({ from: 'new', to: booked.state, next: visit }), 'Undo: "visit 3 Dec"')
  assert.equal(labelOf({ from: 'new', to: 'new' }, 'lead.tried'), 'Undo: "no answer"')
  assert.equal(
    labelOf({ from: 'new', to: 'new', was: visit }, 'lead.planned'),
    'Undo: "date removed"',
  )
  assert.equal(choicesOf(wholeOf(leadOf()), chooser).undo, undefined)
})

test('a held request asks whether it is real; a closed one says what became of it', () => {
  const held = choicesOf(wholeOf(leadOf({ state: 'held' })), chooser)
  assert.equal(held.question, 'Is this a real request?')
  assert.deepEqual(weighed(held), ['even: Release', 'even: Spam'])
  assert.deepEqual([held.take, held.ring, held.visit], [undefined, undefined, undefined])
  const questionOf = (state: State) => choicesOf(wholeOf(leadOf({ state })), chooser).question
  assert.equal(questionOf('won'), 'Won')
  assert.equal(questionOf('withdrawn'), 'Withdrawn by the customer')
})

test('a request may belong to an open one that is further, else older, of the same email, or number and name', () => {
  const phone = '0491 570 006'
  const keys = { emailKey: 'e-wendy', phoneKey: 'p-wendy' }
  const visited = rowOf(
    leadOf({ ...booked, ...keys, id: 'visited', date: visitAt(now + dayMs), values: { phone } }),
  )
  const kim = rowOf(leadOf({ phoneKey: 'p-wendy', id: 'kim', values: { name: 'Kim', phone } }))
  const belongsTo = (others: LeadRow[], own: LeadParts = {}) =>
    choicesOf(wholeOf(leadOf({ ...keys, ...own }), { others }), chooser).belongs
  assert.deepEqual(belongsTo([visited]), {
    leadId: 'visited',
    words: 'Wendy has an open request of 17 Nov, booked Thu 10\u00A0am',
  })
  assert.equal(belongsTo([kim]), undefined, 'anybody can type a number')
  assert.equal(belongsTo([visited], { state: 'proposal_sent' }), undefined)
  const newer = rowOf(leadOf({ ...keys, id: 'younger' }))
  assert.equal(belongsTo([newer]), undefined, 'the newer one belongs to this one')
})

test('the head is a person: number in groups, visits of other requests, how often she wrote', () => {
  const older = leadOf({
    ...booked,
    id: 'older',
    receivedAt: now - 13 * dayMs,
    date: visitAt(now + 29 * hourMs),
  })
  const lead = leadOf({ takenBy: 'robin' })
  const nameOf = () => 'You'
  const head = headOf(wholeOf(lead, { others: [rowOf(older)] }), clock, nameOf)
  assert.deepEqual(head.numbers, [{ words: '0491 570 006', href: 'tel:0491570006' }])
  assert.deepEqual(head.visits, [{ leadId: 'older', words: 'booked Thu 3\u00A0pm' }])
  assert.deepEqual([head.requests, head.taken], ['Also asked on 5 Nov', 'yours'])
  const onOlder = headOf(wholeOf(older, { others: [rowOf(lead)] }), clock, nameOf)
  assert.equal(onOlder.requests, 'Sent 2 requests')
  assert.deepEqual(onOlder.date, {
    words: 'Visit: Thursday 19 November, 3 pm',
    place: '',
    isLate: false,
    isCalledOff: false,
    isVisit: true,
  })
})

test('after the visit its day and street stay in the head, whatever comes next', () => {
  const visit = { at: now - 2 * dayMs, what: 'visit' }
  const moved = eventOf(1, now - 5 * dayMs, {
    from: 'contacted',
    to: booked.state,
    by: 'robin',
    next: visit,
  })
  const sent = eventOf(2, now - dayMs, {
    from: booked.state,
    to: 'proposal_sent',
    by: 'robin',
    was: visit,
  })
  const lead = leadOf({ state: 'proposal_sent', visitPlace: '8 Dibbs Street' })
  const head = headOf(wholeOf(lead, { events: [moved, sent] }), clock, () => 'You')
  assert.equal(head.visited, 'Visited on Monday 16 November, 8 Dibbs Street')
  const before = headOf(wholeOf(leadOf()), clock, () => 'You')
  assert.equal(before.visited, '')
})

test('of the requests that are joined, the newest words come first, then those of the first; others are folded', () => {
  const message = (id: string, days: number, email = 'wendy@example.com') =>
    leadOf({ id, receivedAt: now - days * dayMs, values: { message: id, email } })
  const joined = [message('newest', 1, 'kim@example.com'), message('oldest', 9)]
  const whole = wholeOf(message('own', 5), {
    joined: joined.map((lead) => ({ lead, notes: [] })),
    others: [rowOf(message('not joined', 0))],
  })
  const { shown, folded } = messagesOf(whole, clock)
  assert.deepEqual(
    [shown.map(({ words }) => words), folded.map(({ words }) => words)],
    [['newest', 'own'], ['oldest']],
  )
  const [newest] = shown
  assert.deepEqual(newest?.differing, [{ key: 'email', text: 'kim@example.com' }])
})

test('the town is said as it was typed, a postcode as its area', () => {
  const said = (postcode: string) => townOf(wholeOf(leadOf({ values: { postcode } })))
  assert.deepEqual(['2479', 'Bangalow', 'bangalow 2479'].map(said), [
    'Bangalow',
    'Bangalow',
    'bangalow 2479',
  ])
})
