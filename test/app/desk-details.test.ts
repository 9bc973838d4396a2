import assert from 'node:assert/strict'
import test from 'node:test'
import { moveByMember, noteByMember, planByMember, undoByMember } from '../support/acts.ts'
import { correctByMember, type TypedDetails } from '../../src/desk/details.ts'
import { searchLeads } from '../../src/desk/search.ts'
import { actOn, actAsSender } from '../../src/lead/act.ts'
import { askForAnotherTime, changeNote, explainLost } from '../../src/lead/life.ts'
import { detailsOf } from '../../src/store/leads/details.ts'
import type { Store } from '../../src/store/store.ts'
import { dayMs, hourMs } from '../../src/time.ts'
import { keysOf, leadAt, openDesk, typedOf } from '../support/desk.ts'
import { nowMs } from '../support/leads.ts'
import { eraseLead } from '../support/life.ts'

const { id: leadId } = leadAt(1)
const act = { leadId, version: undefined, by: 'ann', at: nowMs }
const sent = { name: 'Wendi', email: 'wendi@example.com', phone: '0491 570 006', postcode: '2480' }
const typed = typedOf({
  name: 'Wendy',
  phone: '0491 570 156',
  secondPhone: '(02) 5550 0100',
  email: 'wendy@example.com',
  postcode: '2477',
  street: '7 Quux Lane, Alstonville',
})

async function openWith(t: test.TestContext, parts: Parameters<typeof leadAt>[2] = {}) {
  const { store, database } = openDesk(t)
  await store.leads.keep(leadAt(1, sent, parts))
  return { store, database }
}

function correctAt(store: Store, version: number | undefined, details: Partial<TypedDetails>) {
  return correctByMember(store, keysOf, { ...act, version }, { ...typed, ...details })
}

async function kindsOf(store: Store): Promise<string[]> {
  const lead = (await store.leads.find(leadId))!
  return (await store.leads.historyOf(lead)).events.map(({ kind }) => kind)
}

async function isFound(store: Store, words: string): Promise<boolean> {
  return (await searchLeads(store, words)).leads.length === 1
}

test('undo restores every detail, and the search and the keys of the person follow [undo.move]', async (t) => {
  const { store } = await openWith(t)
  const before = (await store.leads.find(leadId))!
  await correctAt(store, 1, {})
  const corrected = (await store.leads.find(leadId))!
  const [emailKey, phoneKey] = keysOf(typed)
  assert.deepEqual(detailsOf(corrected), { ...typed, emailKey, phoneKey })
  const found = [
    ['wendy', 'wendi'],
    ['0491 570 156', '0491 570 006'],
    ['wendy@example.com', 'wendi@example.com'],
  ]
  for (const [now, then] of found) {
    assert.deepEqual([await isFound(store, now!), await isFound(store, then!)], [true, false])
  }
  for (const words of ['5550 0100', 'quux lane']) assert.ok(await isFound(store, words), words)
  assert.equal((await store.views.ofPerson(keysOf(sent), { limit: 9 })).length, 0)

  await undoByMember(store, { ...act, version: 2 })
  const undone = (await store.leads.find(leadId))!
  assert.deepEqual(detailsOf(undone), detailsOf(before))
  for (const [now, then] of found) {
    assert.deepEqual([await isFound(store, now!), await isFound(store, then!)], [false, true])
  }
  assert.equal((await store.views.ofPerson(keysOf(sent), { limit: 9 })).length, 1)
  assert.deepEqual((await store.leads.historyOf(undone)).detailsBefore, [])
})

test('saving twice corrects once; an older page, or one from before a restore, changes nothing [move.overtaken]', async (t) => {
  const { store } = await openWith(t)
  const kinds = []
  for (const [version, name] of [
    [1, 'Wendy'],
    [1, 'Wendy'],
    [1, 'Gwendolyn'],
    [9, 'Gwendolyn'],
  ] as const) {
    kinds.push((await correctAt(store, version, { name })).kind)
  }
  assert.deepEqual(kinds, ['done', 'done', 'overtaken', 'overtaken'])
  assert.deepEqual(await kindsOf(store), ['lead.received', 'lead.corrected'])
  assert.equal((await store.leads.find(leadId))!.values.name, 'Wendy')
})

test('a correction stops no move of a colleague, but an undo that would take it back [move.overtaken]', async (t) => {
  const { store } = await openWith(t)
  await moveByMember(store, act, 'contacted')
  await correctAt(store, 2, {})
  assert.equal((await undoByMember(store, { ...act, version: 2 })).kind, 'overtaken')
  const next = { at: nowMs + dayMs, what: 'visit' } as const
  const booked = await moveByMember(store, { ...act, version: 2 }, 'consultation_booked', { next })
  assert.equal(booked.kind, 'done')
  assert.equal((await undoByMember(store, { ...act, version: 4 })).kind, 'done')
  const lead = (await store.leads.find(leadId))!
  assert.deepEqual([lead.state, lead.values.name], ['contacted', 'Wendy'])
})

test('two members correct at the same moment, and one is overtaken [move.overtaken]', async (t) => {
  const { store } = await openWith(t)
  const outcomes = await Promise.all(['Gwen', 'Wendy'].map((name) => correctAt(store, 1, { name })))
  assert.deepEqual(outcomes.map(({ kind }) => kind).sort(), ['done', 'overtaken'])
  const lead = (await store.leads.find(leadId))!
  const { detailsBefore } = await store.leads.historyOf(lead)
  assert.deepEqual(
    detailsBefore.map(({ number, details }) => [number, details.name]),
    [[1, 'Wendi']],
  )
})

test('a request that is sent again is a repeat, also after its details were corrected', async (t) => {
  const { store } = await openWith(t)
  await correctAt(store, 1, {})
  const again = await store.leads.keep({ ...leadAt(1, sent), id: leadAt(2).id })
  assert.equal(again.kind, 'repeated')
  assert.equal((await store.leads.find(leadId))!.values.name, 'Wendy')
})

test('an undo brings back that the customer asked for another time [undo.move]', async (t) => {
  const { store } = await openWith(t)
  const next = { at: nowMs + 2 * dayMs, what: 'visit' } as const
  await moveByMember(store, act, 'consultation_booked', { next, shown: true })
  const askedAt = nowMs + hourMs
  const ask = () => actOn(store, leadId, askForAnotherTime('', { at: askedAt }))
  assert.equal((await ask()).kind, 'done')
  assert.equal((await ask()).kind, 'done', 'a double press asks once')
  assert.deepEqual(await store.leads.notesOf([{ id: leadId }]), [], 'nothing was written')
  const asked = async () => (await store.leads.find(leadId))!.askedAt
  // Nobody answered the call, so the customer still waits.
  await planByMember(store, act, { call: 'tried' })
  assert.equal(await asked(), askedAt)
  await planByMember(store, act, { next: { ...next, at: next.at + dayMs } })
  assert.equal(await asked(), undefined)
  await undoByMember(store, act)
  assert.equal(await asked(), askedAt)
  await moveByMember(store, act, 'lost')
  await undoByMember(store, act)
  assert.equal(await asked(), askedAt)
  assert.deepEqual((await kindsOf(store)).filter((kind) => kind === 'lead.asked').length, 1)
})

test('the undo of an unanswered call leaves a wish for another time that came since [undo.move]', async (t) => {
  const { store } = await openWith(t)
  const next = { at: nowMs + 2 * dayMs, what: 'visit' } as const
  await moveByMember(store, act, 'consultation_booked', { next, shown: true })
  await planByMember(store, act, { call: 'tried' })
  await actOn(store, leadId, askForAnotherTime('', { at: nowMs + hourMs }))
  await undoByMember(store, act)
  const { askedAt, date } = (await store.leads.find(leadId))!
  assert.deepEqual([askedAt, date?.at], [nowMs + hourMs, next.at])
})

test('an undo brings back why the lead was lost; an older page does not replace the reason [undo.move]', async (t) => {
  const { store } = await openWith(t)
  for (const to of ['contacted', 'lost'] as const) await moveByMember(store, act, to)
  const explain = (version: number, why: 'budget' | 'timing') =>
    actOn(store, leadId, explainLost(why, { ...act, version }))
  assert.equal((await explain(3, 'budget')).kind, 'done')
  assert.equal((await explain(3, 'budget')).kind, 'done')
  assert.equal((await explain(3, 'timing')).kind, 'overtaken')
  await moveByMember(store, act, 'contacted')
  assert.equal((await store.leads.find(leadId))!.lostWhy, undefined)
  assert.equal((await explain(5, 'timing')).kind, 'illegal')
  await undoByMember(store, act)
  assert.equal((await store.leads.find(leadId))!.lostWhy, 'budget')
})

test('a page from before the request was lost does not replace the reason that it has by being lost', async (t) => {
  const { store } = await openWith(t)
  for (const call of ['tried', 'tried'] as const) await planByMember(store, act, { call })
  await moveByMember(store, act, 'lost')
  const { version, lostWhy } = (await store.leads.find(leadId))!
  assert.equal(lostWhy, 'no_answer')
  const explain = (shown: number) =>
    actOn(store, leadId, explainLost('timing', { ...act, version: shown }))
  assert.equal((await explain(version - 1)).kind, 'overtaken')
  assert.equal((await explain(version)).kind, 'done')
})

test('only who wrote a note changes it, and what is typed into a removed one is not lost silently', async (t) => {
  const { store } = await openWith(t)
  await noteByMember(store, act, 'Likes merbau')
  const change = (words: string, by = 'ann') =>
    actOn(store, leadId, changeNote(1, words, { ...act, by }))
  const notes = async () => (await store.leads.notesOf([{ id: leadId }])).map(({ words }) => words)
  assert.equal((await change('Likes pine', 'ben')).kind, 'illegal')
  assert.equal((await change('Likes spotted gum')).kind, 'done')
  assert.deepEqual(await notes(), ['Likes spotted gum'])
  assert.deepEqual([await isFound(store, 'spotted'), await isFound(store, 'merbau')], [true, false])
  assert.equal((await change('')).kind, 'done')
  assert.equal((await change('')).kind, 'done')
  assert.equal((await change('Likes blackbutt')).kind, 'overtaken')
  assert.deepEqual([await notes(), await isFound(store, 'spotted')], [[], false])
  assert.equal((await kindsOf(store)).length, 4)
})

test('a sender stays blocked while one request is marked as spam, and is allowed by releasing any', async (t) => {
  const { store } = await openWith(t)
  const other = { ...act, leadId: leadAt(2).id }
  await store.leads.keep(leadAt(2, { ...sent, message: 'Again' }, { state: 'held' }))
  const isBlocked = async () =>
    Promise.all(keysOf(sent).map((key) => store.blocked.has([key]))).then((all) => all.join())
  assert.equal(await isBlocked(), 'false,false')
  await moveByMember(store, act, 'spam')
  await moveByMember(store, other, 'spam')
  assert.deepEqual(
    (await store.blocked.list(9)).map((each) => each.leadId),
    [leadId],
    'one row for one sender',
  )
  await undoByMember(store, act)
  assert.equal(await isBlocked(), 'true,true', 'the other request is still spam')
  await undoByMember(store, other)
  assert.equal(await isBlocked(), 'false,false')

  await moveByMember(store, { ...act, leadId }, 'spam')
  await moveByMember(store, other, 'new')
  assert.equal(await isBlocked(), 'false,false', 'a held request of the sender was released')
  await undoByMember(store, act)
  await moveByMember(store, act, 'spam')
  await moveByMember(store, other, 'spam')
  await store.blocked.allow(other.leadId)
  assert.deepEqual([await isBlocked(), await store.blocked.list(9)], ['false,false', []])
})

test('a sender who withdraws stays blocked, and a release after a correction leaves nothing blocked', async (t) => {
  const { store, database } = await openWith(t)
  const [key] = keysOf(sent)
  await moveByMember(store, act, 'spam')
  await correctAt(store, 2, {})
  await moveByMember(store, act, 'new')
  assert.deepEqual(await store.blocked.list(9), [])

  await undoByMember(store, act)
  assert.ok(await store.blocked.has(keysOf(typed)), 'marked again, with the corrected email')
  await store.leads.keep(leadAt(2, { ...sent, message: 'Again' }))
  await moveByMember(store, { ...act, leadId: leadAt(2).id }, 'spam')
  await actAsSender(store, 'withdraw', { leadId: leadAt(2).id, at: nowMs })
  await eraseLead(store, (await store.leads.find(leadAt(2).id))!, { by: 'sender', at: nowMs })
  assert.ok(await store.blocked.has([key!]))
  const rows = JSON.stringify(await database.execute('select * from blocked'))
  assert.doesNotMatch(rows, /wend|0491|example/i)
})

test('while the blocked senders cannot be read, those that are known stay blocked', async (t) => {
  const { store, database } = await openWith(t)
  await moveByMember(store, act, 'spam')
  assert.ok(await store.blocked.has(keysOf(sent)))
  await database.execute('alter table blocked rename to gone')
  store.blocked.readAgain()
  assert.ok(await store.blocked.has(keysOf(sent)))
  assert.ok(!(await store.blocked.has(keysOf(typed))))
})

test('a page that has not shown that the customer asks does not answer it [move.overtaken]', async (t) => {
  const { store } = await openWith(t)
  const next = { at: nowMs + 2 * dayMs, what: 'visit' } as const
  const book = () =>
    moveByMember(store, { ...act, version: 1 }, 'consultation_booked', { next, shown: true })
  await book()
  await actOn(store, leadId, askForAnotherTime('After five, please', { at: nowMs }))
  assert.equal((await book()).kind, 'overtaken', 'the button was pressed twice')
  const lead = (await store.leads.find(leadId))!
  assert.equal(lead.askedAt, nowMs)
  assert.deepEqual(
    (await store.leads.notesOf([lead])).map(({ memberId, words }) => [memberId, words]),
    [['sender', 'After five, please']],
  )
})

test('the undo of a release blocks the sender again who was held as blocked [undo.move]', async (t) => {
  const judgement = { score: 100, reasons: ['blocked'] }
  const { store } = await openWith(t, { state: 'held', judgement })
  await moveByMember(store, act, 'new')
  await undoByMember(store, act)
  assert.ok(await store.blocked.has(keysOf(sent)))
})
