import assert from 'node:assert/strict'
import test from 'node:test'
import { fieldKeys } from '../contract/fields.ts'
import { isBack, movesFrom, openStates, type State } from '../contract/states.ts'
import type { LeadEvent } from '../store/leads/events.ts'
import type { Visit } from '../contract/visit.ts'
import type { Lead } from '../store/leads/rows.ts'
import { valuesOf } from '../../test/support/leads.ts'
import { dayMs, hourMs } from '../time.ts'
import { choicesOf, type MoveChoice } from './choices.ts'
import { townOf } from './visit-choice.ts'
import { headOf, messagesOf } from './head.ts'
import type { LeadRow } from './views.ts'
import type { WholeLead } from './whole-lead.ts'

const timeZone = 'Australia/Sydney'
const weekdays = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday'] as const
const opening = { timeZone, hours: [{ days: weekdays, opens: '07:00', closes: '16:30' }] }
/** Wednesday, ten in the morning. */
const now = Date.parse('2026-11-17T23:00:00Z')
const chooser = {
  now,
  opening,
  memberId: 'robin',
  hasColleagues: true,
  mailsVisits: true,
  booked: [],
}
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
    proposalSum: undefined,
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
    town: 'Bangalow',
    unlisted: [],
    asSent: {},
    whyHeld: [],
    events: [],
    notes: [],
    joined: [],
    story: [],
    visitEmails: [],
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

const labels = (outcomes: readonly MoveChoice[]) => outcomes.map(({ label }) => label)

const booked = { state: 'consultation_booked', isVisitSeen: true } as const

function visitAt(at: number): Visit {
  return { what: 'visit', at, place: '', isSeen: true }
}

test('before any call three buttons stand in front; what is rare is behind More', () => {
  const fresh = choicesOf(wholeOf(leadOf()), chooser)
  assert.equal(fresh.heading, 'Outcome')
  assert.deepEqual(labels(fresh.outcomes), ['Spoke to them', 'No answer', 'Book a visit'])
  assert.deepEqual(labels(fresh.more), ['Not suitable', 'Spam'])
  assert.deepEqual(fresh.take, { label: "I'll look after this", value: 'me' })
  const alone = choicesOf(wholeOf(leadOf()), { ...chooser, hasColleagues: false })
  assert.equal(alone.take, undefined)
})

test('without a number nothing rings', () => {
  const unreachable = leadOf({ values: { phone: '' } })
  const fresh = choicesOf(wholeOf(unreachable), chooser)
  assert.deepEqual(labels(fresh.outcomes), ['Wrote to them', 'Book a visit'])
  const written = choicesOf(wholeOf({ ...unreachable, state: 'contacted' }), chooser)
  assert.deepEqual(labels(written.outcomes), ['Wrote again', 'Book a visit', 'Lost'])
  assert.equal(written.ring?.label, 'Write then')
  const sent = choicesOf(wholeOf({ ...unreachable, state: 'proposal_sent' }), chooser)
  assert.deepEqual(labels(sent.outcomes), ['Won', 'Lost', 'Write or visit again'])
})

test('somebody who was spoken to can be spoken to again, or lost', () => {
  const ring = { at: now + dayMs, what: 'ring' } as const
  const contacted = choicesOf(wholeOf(leadOf({ state: 'contacted', date: ring })), chooser)
  assert.deepEqual(labels(contacted.outcomes), ['Spoke again', 'No answer', 'Book a visit', 'Lost'])
  assert.deepEqual(labels(contacted.more), [
    'Proposal sent',
    'Not suitable',
    'Spam',
    'Step back to new',
  ])
})

test('the page asks when next after a talk, and after a call that nobody answered', () => {
  const talked = choicesOf(wholeOf(leadOf({ state: 'contacted' })), chooser)
  assert.equal(talked.ring?.offers.at(-1)?.label, 'No need: 30 days')
  const tried = { ...eventOf(1, now, { from: 'new', to: 'new' }), kind: 'lead.tried' as const }
  const unanswered = choicesOf(wholeOf(leadOf(), { events: [tried] }), chooser)
  assert.deepEqual(
    unanswered.ring?.offers.map(({ label }) => label),
    ['Today 4 pm', 'Tomorrow 7 am', 'Friday', 'Next week'],
  )
  const date = { at: now + dayMs, what: 'ring' } as const
  const planned = eventOf(2, now, { from: 'new', to: 'new', next: date })
  const dated = wholeOf(leadOf({ date }), { events: [tried, planned] })
  assert.equal(choicesOf(dated, chooser).ring, undefined)
})

test('before a visit nothing is asked: it can be moved or called off', () => {
  const ahead = choicesOf(wholeOf(leadOf({ ...booked, date: visitAt(now + dayMs) })), chooser)
  assert.equal(ahead.stage, 'visit ahead')
  assert.deepEqual(ahead.outcomes, [])
  assert.deepEqual(labels(ahead.more), [])
  assert.equal(ahead.ring, undefined, 'ringing again would replace the visit')
  assert.deepEqual([ahead.visit?.day, ahead.visit?.time], ['2026-11-19', '10:00'])
  assert.equal(ahead.visit?.shownLabel, '', 'who knows of the visit hears that it is moved')
})

test('the box of a visit says whether the customer was emailed, and who hears of a change', () => {
  const lead = leadOf({ ...booked, emailKey: 'e', date: visitAt(now + dayMs) })
  const saidOf = (parts: Partial<WholeLead>, given = {}) => {
    const { visit } = choicesOf(wholeOf(lead, parts), { ...chooser, ...given })
    return [visit?.emailed, visit?.changeHint]
  }
  const email = { to: 'e', at: now + dayMs, place: '', isOff: false, answers: undefined }
  assert.deepEqual(saidOf({}), ['Not emailed yet', 'Moving it or calling it off emails Wendy.'])
  assert.deepEqual(saidOf({ visitEmails: [email] }), [
    'Emailed to Wendy',
    'Moving it or calling it off emails Wendy.',
  ])
  assert.deepEqual(saidOf({}, { mailsVisits: false }), ['Not emailed', ''])
  const hidden = { ...lead, date: { ...visitAt(now + dayMs), isSeen: false } }
  assert.deepEqual(saidOf({ lead: hidden }), ['Not emailed', ''])
  assert.deepEqual(saidOf({ lead: hidden, visitEmails: [email] }), [
    "Wendy's last email says Thu 10\u00A0am",
    'Calling it off emails Wendy.',
  ])
})

test('somebody who is known by a number only is called "them"', () => {
  const values = { name: '0491 570 006' }
  const whole = wholeOf(leadOf({ ...booked, date: visitAt(now + dayMs), values }))
  const mailed = choicesOf(whole, chooser)
  assert.equal(mailed.visit?.changeHint, 'Moving it or calling it off emails them.')
  assert.equal(mailed.visit?.keepHint, 'Keeping it emails them that the time stays.')
  const fresh = wholeOf(leadOf({ values }))
  assert.equal(choicesOf(fresh, chooser).visit?.shownLabel, 'Email them the time')
  const unmailed = choicesOf(fresh, { ...chooser, mailsVisits: false })
  assert.equal(unmailed.visit?.shownLabel, 'Show the time on their receipt')
  const rang = wholeOf(leadOf({ door: 'phone', values: { email: '' } }))
  assert.equal(choicesOf(rang, chooser).visit?.shownLabel, '', 'there is no receipt to show it on')
})

test('once the visit has begun the question is how it went, also when a day to ring is set', () => {
  const expected = ['Proposal sent', 'Won', 'Lost', 'Ring or visit again']
  const didNot = 'The visit did not happen'
  const begun = choicesOf(wholeOf(leadOf({ ...booked, date: visitAt(now - hourMs / 2) })), chooser)
  assert.equal(begun.heading, 'Outcome of the visit')
  assert.deepEqual(labels(begun.outcomes), expected.toSpliced(3, 0, didNot))
  assert.deepEqual(labels(begun.more), ['Not suitable'])
  const visit = { at: now - dayMs, what: 'visit' }
  const move = eventOf(1, now - 3 * dayMs, { from: 'new', to: booked.state, next: visit })
  const ring = { at: now + 5 * dayMs, what: 'ring' } as const
  const again = eventOf(2, now, { from: booked.state, to: booked.state, next: ring, was: visit })
  const ringing = wholeOf(leadOf({ ...booked, date: ring }), { events: [move, again] })
  const chased = choicesOf(ringing, chooser)
  assert.equal(chased.heading, 'Outcome of the visit')
  assert.deepEqual(labels(chased.outcomes), expected)
  assert.equal(chased.undo, 'Undo: "ring Monday"')
})

test('of a proposal the question is what became of it, and its day is to follow up', () => {
  const next = { at: now + 7 * dayMs, what: 'ring' } as const
  const sent = eventOf(1, now, { from: booked.state, to: 'proposal_sent', by: 'robin', next })
  const lead = leadOf({ state: 'proposal_sent', date: next })
  const whole = wholeOf(lead, { events: [sent] })
  const choices = choicesOf(whole, chooser)
  assert.equal(choices.heading, 'Outcome of the proposal')
  assert.deepEqual(labels(choices.outcomes), ['Won', 'Lost', 'Ring or visit again'])
  assert.deepEqual(labels(choices.more), [])
  assert.equal(choices.undo, 'Undo: "proposal sent"')
  assert.equal(choices.ring?.label, 'Follow up then')
  assert.deepEqual(
    choices.ring?.offers.map(({ label }) => label),
    ['Tomorrow 7 am', 'Friday', 'Next week'],
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

test('whatever an open request can become has a button at some stage, but for a visit, which is booked by its fields', () => {
  const becomes = openStates.flatMap((from) => movesFrom[from].filter((to) => !isBack(from, to)))
  const shown = openStates.flatMap((state) =>
    [undefined, visitAt(now - hourMs / 2)].flatMap((date) => {
      const { outcomes, more } = choicesOf(wholeOf(leadOf({ state, date })), chooser)
      return [...outcomes, ...more].map((each) => (each.act === 'move' ? each.to : undefined))
    }),
  )
  const unshown = new Set(becomes).difference(new Set(shown))
  assert.deepEqual([...unshown], [booked.state], 'inFront or behindMore lacks a button for these')
})

test('one step back leads to where the request was last, unless the undo leads there', () => {
  const backOf = (...path: State[]) => {
    const events = path
      .slice(1)
      .map((to, index) => eventOf(index + 1, now, { from: path[index], to, by: 'robin' }))
    const taken = { ...eventOf(9, now, { by: 'robin' }), kind: 'lead.taken' as const }
    const lead = leadOf({ state: path.at(-1)! })
    const { more, undo } = choicesOf(wholeOf(lead, { events: [...events, taken] }), chooser)
    return [...labels(more).filter((label) => label.startsWith('Step back')), undo]
  }
  assert.deepEqual(backOf('new', 'contacted', 'lost'), ['Undo: "lost"'])
  assert.deepEqual(backOf('new', 'contacted', 'proposal_sent', 'won'), ['Undo: "won"'])
  assert.deepEqual(backOf('new', 'not_suitable'), ['Undo: "not suitable"'])
  assert.deepEqual(backOf('new', 'contacted', 'not_suitable', 'new'), ['Undo: "back to new"'])
  const yesterday = eventOf(1, now - dayMs, { from: 'new', to: 'contacted', by: 'robin' })
  const contacted = wholeOf(leadOf({ state: 'contacted' }), { events: [yesterday] })
  const { undo, more } = choicesOf(contacted, chooser)
  assert.deepEqual([undo, labels(more).at(-1)], [undefined, 'Step back to new'], 'after a day')
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
  const off = { from: booked.state, to: 'contacted', was: visit }
  assert.equal(labelOf(off), 'Undo: "called off"')
  assert.equal(labelOf({ from: booked.state, next: visit, was: visit }), 'Undo: "kept the time"')
  assert.equal(choicesOf(wholeOf(leadOf()), chooser).undo, undefined)
})

test('a held request asks whether it is real', () => {
  const held = choicesOf(wholeOf(leadOf({ state: 'held' })), chooser)
  assert.equal(held.heading, 'Is this a real request?')
  assert.deepEqual(labels(held.outcomes), ['Release', 'Spam'])
  assert.deepEqual([held.take, held.ring, held.visit], [undefined, undefined, undefined])
})

test('a request may belong to an open one that is further, else older, of the same email or number', () => {
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
  assert.equal(belongsTo([kim])?.words, 'Kim has an open request of 17 Nov, new')
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
  assert.deepEqual(head.numbers, ['0491 570 006'])
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

test('messages of joined requests stand in the order of time, and only the oldest are folded', () => {
  const message = (id: string, days: number, email = 'wendy@example.com') =>
    leadOf({ id, receivedAt: now - days * dayMs, values: { message: id, email } })
  const joined = [
    message('newest', 1, 'kim@example.com'),
    message('middle', 3),
    message('oldest', 9),
  ]
  const whole = wholeOf(message('own', 5), {
    joined: joined.map((lead) => ({ lead, notes: [] })),
    others: [rowOf(message('not joined', 0))],
  })
  const { shown, folded } = messagesOf(whole, clock)
  assert.deepEqual(
    [shown.map(({ words }) => words), folded.map(({ words }) => words)],
    [['newest', 'middle', 'own'], ['oldest']],
  )
  const [newest] = shown
  assert.deepEqual(newest?.differing, [{ key: 'email', text: 'kim@example.com' }])
})

test('whatever a joined request says otherwise is shown, of every field that the contract has', () => {
  const values = Object.fromEntries(fieldKeys.map((key) => [key, `another ${key}`]))
  const joined = [{ lead: leadOf({ id: 'joined', receivedAt: now, values }), notes: [] }]
  const { shown } = messagesOf(wholeOf(leadOf(), { joined }), clock)
  const other = shown.find(({ isOwn }) => !isOwn)
  const told = [other?.otherName, other?.words, ...other!.differing.map(({ text }) => text)]
  assert.deepEqual(new Set(told), new Set(Object.values(values)))
})

test('the town is said as it was typed, a postcode as its area', () => {
  const said = (postcode: string) => townOf(wholeOf(leadOf({ values: { postcode } })))
  assert.deepEqual(['2479', 'Bangalow', 'bangalow 2479'].map(said), [
    'Bangalow',
    'Bangalow',
    'bangalow 2479',
  ])
})
