import assert from 'node:assert/strict'
import test from 'node:test'
import {
  begunStates,
  maySenderWithdraw,
  movesFrom,
  openStates,
  states,
  statesIn,
  type State,
} from '../../src/contract/states.ts'
import { viewNames, views } from '../../src/desk/views.ts'
import { moveByMember } from '../support/acts.ts'
import { openTestApp, type TestApp } from '../support/app.ts'
import { newDatabase, onPostgres } from '../support/engines.ts'
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
  for (const to of road) assert.equal((await move(app, id, to)).kind, 'done', to)
  const events = await eventsOf(app.store, id)
  assert.equal(events.length, 1 + road.length)
  assert.deepEqual(JSON.parse(events[1]!.data), { from: 'new', to: 'contacted', by: 'owner' })
})

test('an illegal move changes nothing [move.road]', async (t) => {
  const app = openTestApp(t)
  const id = await send(app, robin)
  assert.equal((await move(app, id, 'won')).kind, 'illegal')
  assert.equal((await app.store.leads.find(id))?.state, 'new')
})

test('a sender may withdraw what is not closed; what is withdrawn or erased stays so', () => {
  const withdrawable = states.filter(maySenderWithdraw)
  assert.deepEqual(withdrawable, [...openStates, 'joined', 'held', 'spam'])
  assert.deepEqual([movesFrom.withdrawn, movesFrom.erased], [[], []])
})

test('every open request stands in one tab, and what waits for a date is in the index of dates [next.back]', async (t) => {
  for (const state of openStates) {
    const tabs = viewNames.filter((name) => name !== 'all' && views[name].states.includes(state))
    assert.equal(tabs.length, 1, `${state} stands in ${tabs.join(' and ') || 'no tab'}`)
    const { order } = views[tabs[0]!]
    assert.equal(order, 'due', `${state} has a date, by which its tab must be ordered`)
  }
  assert.deepEqual(statesIn('today'), ['new'], 'Today lists others only once they are due')
  for (const { states: shown } of Object.values(views)) assert.ok(shown.length > 0)
  const database = newDatabase(t)
  // Opening migrates it.
  await database.open().close()
  const sql = onPostgres
    ? `select indexdef as sql from pg_indexes where indexname = 'lead_by_due'`
    : `select sql from sqlite_master where name = 'lead_by_due'`
  const [row] = await database.execute(sql)
  const [, where = ''] = String(row?.['sql']).split(/ where /i)
  const indexed = Array.from(where.matchAll(/'([a-z_]+)'/g), ([, state]) => state)
  assert.deepEqual(indexed, begunStates, 'a migration makes lead_by_due anew, with these states')
})

async function send({ postJson, store }: TestApp, body: object): Promise<string> {
  const answer = await postJson(body)
  const { reference } = answer.json as { reference: string }
  const lead = await store.leads.findByReference(reference)
  return lead!.id
}

function move({ store, clock }: TestApp, leadId: string, to: State) {
  clock.now += 1
  const act = { leadId, version: undefined, by: 'owner', at: clock.now }
  return moveByMember(store, act, to)
}
