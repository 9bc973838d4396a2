import assert from 'node:assert/strict'
import test from 'node:test'
import { moveLead } from '../support/life.ts'
import { moveByMember, noteByMember, takeByMember, undoByMember } from '../support/acts.ts'
import type { Act } from '../../src/lead/act.ts'
import type { Store } from '../../src/store/store.ts'
import { leadAt, openDesk } from '../support/desk.ts'
import { nowMs } from '../support/leads.ts'

test('a move carries the member who made it, and a page that is overtaken says what happened [move.by, move.overtaken]', async (t) => {
  const { store } = openDesk(t)
  await store.leads.keep(leadAt(1))
  const stale = await actFrom(store, 1, 'ann')
  const moved = await moveByMember(store, stale, 'contacted')
  assert.ok(moved.kind === 'done')
  assert.equal(moved.lead.state, 'contacted')

  const overtaken = await moveByMember(store, { ...stale, by: 'ben' }, 'not_suitable')
  assert.ok(overtaken.kind === 'overtaken')
  assert.equal(overtaken.lead.state, 'contacted')
  const same = await moveByMember(store, { ...stale, by: 'ben' }, 'contacted')
  assert.equal(same.kind, 'done', 'the lead is where he wants it')
  assert.equal((await store.leads.find(leadAt(1).id))?.version, 2)

  const illegal = await moveByMember(store, await actFrom(store, 1), 'won')
  assert.equal(illegal.kind, 'illegal')
  const missing = { ...stale, leadId: leadAt(9).id }
  assert.deepEqual(await moveByMember(store, missing, 'spam'), { kind: 'missing' })
})

test('two members read the same lead, and the second to move it is overtaken [move.overtaken]', async (t) => {
  const { store } = openDesk(t)
  await store.leads.keep(leadAt(1))
  const act = await actFrom(store, 1, 'ben')
  const historyOf = store.leads.historyOf.bind(store.leads)
  store.leads.historyOf = async (lead) => {
    store.leads.historyOf = historyOf
    const history = await historyOf(lead)
    await moveByMember(store, { ...act, by: 'ann' }, 'contacted')
    return history
  }
  const outcome = await moveByMember(store, act, 'not_suitable')
  assert.equal(outcome.kind, 'overtaken')
  const lead = (await store.leads.find(act.leadId))!
  assert.deepEqual([lead.state, lead.version], ['contacted', 2])
  const [events = []] = await store.leads.eventsOf([lead])
  assert.deepEqual(
    events.slice(1).map(({ data }) => JSON.parse(data)),
    [{ from: 'new', to: 'contacted', by: 'ann' }],
  )
})

test('undo restores the state before, held too, once, and says so in the history [undo.move]', async (t) => {
  const { store } = openDesk(t)
  await store.leads.keep(
    leadAt(1, {}, { state: 'held', judgement: { score: 60, reasons: ['links'] } }),
  )
  await store.leads.keep(leadAt(2))
  for (const to of ['new', 'spam'] as const) {
    await moveByMember(store, await actFrom(store, 1), to)
    await noteByMember(store, await actFrom(store, 1), `I moved it to ${to}`)
    const undone = await undoByMember(store, await actFrom(store, 1, 'ben'))
    assert.ok(undone.kind === 'done')
    assert.equal(undone.lead.state, 'held')
    const again = await undoByMember(store, await actFrom(store, 1))
    assert.equal(again.kind, 'illegal')
  }
  const lead = (await store.leads.find(leadAt(1).id))!
  const [events = []] = await store.leads.eventsOf([lead])
  assert.deepEqual(JSON.parse(events[3]!.data), { from: 'new', to: 'held', by: 'ben', undoes: 1 })

  const act = await actFrom(store, 2)
  assert.equal((await undoByMember(store, act)).kind, 'illegal')
  await moveLead(store, (await store.leads.find(leadAt(2).id))!, {
    to: 'withdrawn',
    by: 'sender',
    at: nowMs,
  })
  assert.equal((await undoByMember(store, act)).kind, 'overtaken')
  assert.equal((await undoByMember(store, await actFrom(store, 2))).kind, 'illegal')
})

async function actFrom(store: Store, minute: number, by = 'ann'): Promise<Act> {
  const lead = await store.leads.find(leadAt(minute).id)
  return { leadId: leadAt(minute).id, version: lead?.version, by, at: nowMs + 1 }
}

test("a colleague's note, or taking a request over, leaves my move as it is [move.overtaken]", async (t) => {
  const { store } = openDesk(t)
  await store.leads.keep(leadAt(1))
  const act = await actFrom(store, 1, 'ben')
  await noteByMember(store, { ...act, by: 'ann' }, 'Rang twice')
  await takeByMember(store, { ...act, by: 'ann' }, 'ann')
  const outcome = await moveByMember(store, act, 'contacted')
  assert.equal(outcome.kind, 'done')
  assert.equal((await store.leads.find(act.leadId))?.takenBy, 'ann')
})
