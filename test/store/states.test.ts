import assert from 'node:assert/strict'
import test from 'node:test'
import { tellNobody } from '../../src/contract/notices.ts'
import { movesFrom, states, type State } from '../../src/contract/states.ts'
import { moveLead } from '../../src/lead/move.ts'
import { openTestApp, type TestApp } from '../support/app.ts'
import { robin, eventsOf } from '../support/leads.ts'

test('a lead moves along the road and one step back [move.road]', async (t) => {
  const app = openTestApp(t)
  const id = await send(app, robin)
  const road: State[] = [
    'contacted',
    'new',
    'contacted',
    'consultation_booked',
    'won',
    'consultation_booked',
    'lost',
  ]
  for (const to of road) assert.equal((await move(app, id, to)).kind, 'moved', to)
  const events = await eventsOf(app.store, id)
  assert.equal(events.length, 1 + road.length)
  assert.deepEqual(JSON.parse(events[1]!.data), { from: 'new', to: 'contacted', by: 'owner' })
})

test('an illegal move changes nothing and says what is allowed [move.road]', async (t) => {
  const app = openTestApp(t)
  const id = await send(app, robin)
  assert.deepEqual(await move(app, id, 'won'), {
    kind: 'illegal',
    from: 'new',
    allowed: ['contacted', 'consultation_booked', 'not_suitable', 'spam'],
  })
  assert.equal((await app.store.findLead(id))?.state, 'new')
})

test('a sender may withdraw, and nothing else; what is withdrawn or erased stays so', () => {
  for (const state of states) {
    const own = movesFrom(state, 'sender')
    assert.ok(own.every((to) => to === 'withdrawn'))
  }
  assert.deepEqual(movesFrom('new', 'sender'), ['withdrawn'])
  assert.deepEqual(movesFrom('withdrawn', 'owner'), [])
  assert.deepEqual(movesFrom('erased', 'owner'), [])
})

async function send({ postJson, store }: TestApp, body: object): Promise<string> {
  const answer = await postJson(body)
  const { reference } = answer.json as { reference: string }
  const lead = await store.findByReference(reference)
  return lead!.id
}

function move({ store, clock }: TestApp, leadId: string, to: State) {
  clock.now += 1
  return moveLead(store, { leadId, to, by: 'owner', at: clock.now, tell: tellNobody })
}
