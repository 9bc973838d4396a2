import { nobody, recipientsOf, type ChannelName } from '../../src/contract/notices.ts'
import { findNamed } from '../../src/lead/act.ts'
import assert from 'node:assert/strict'
import test from 'node:test'
import { addNote, eraseLead, moveLead } from '../support/life.ts'
import { writeMetrics } from '../../src/metrics/metrics.ts'
import {
  StorageUnavailable,
  StoreRefused,
  type Engine,
  type Statement,
} from '../../src/store/engine/engine.ts'
import { Store } from '../../src/store/store.ts'
import { newDatabase, type TestDatabase } from '../support/engines.ts'
import { newLead as lead, nowMs } from '../support/leads.ts'

test('a lead and its deliveries are kept together or not at all [keep.batch]', async (t) => {
  const { store, database } = open(t)
  await store.leads.keep(lead(1, { deliverTo: ['mail', 'webhook'] }))
  // A second lead, one of whose deliveries breaks a rule, goes with all that belongs to it.
  const broken = [null as unknown as ChannelName]
  await assert.rejects(store.leads.keep(lead(2, { deliverTo: ['mail', ...broken] })))
  assert.deepEqual(await counts(database), { lead: 1, delivery: 2 })
})

test('a commit that comes after we stopped waiting, and a retry, are one lead', async (t) => {
  const { engine } = open(t)
  for (const [index, when] of ['before', 'after'].entries()) {
    let late: Parameters<Engine['run']>[0] | undefined
    const slow: Engine = {
      ...engine,
      run(batch) {
        if (late !== undefined) return engine.run(batch)
        late = batch
        return Promise.reject(new StorageUnavailable('slow'))
      },
    }
    const store = new Store(slow, nobody)
    const first = lead(10 * index + 1)
    await assert.rejects(store.leads.keep(first), StorageUnavailable)
    if (when === 'before') await engine.run(late!)
    const retry = { ...first, id: lead(10 * index + 2).id }
    const kept = await store.leads.keep(retry)
    if (when === 'after') await engine.run(late!).catch(() => {})
    const told = kept.kind === 'repeated' ? kept.id : retry.id
    assert.equal((await store.leads.find(told))?.id, told)
    assert.equal((await store.views.list({ limit: 9 })).length, index + 1)
  }
})

test('one broken batch does not take those beside it down', async (t) => {
  const { store } = open(t)
  const same = lead(1)
  const results = await Promise.allSettled([
    store.leads.keep(lead(2)),
    store.leads.keep(same),
    store.leads.keep({ ...same, values: { ...same.values, name: 'Other' } }),
    store.leads.keep(lead(4, { agent: null as unknown as ChannelName })),
    store.leads.keep(lead(3)),
  ])
  const [before, one, other, broken, after] = results.map(({ status }) => status)
  assert.deepEqual([before, broken, after], ['fulfilled', 'rejected', 'fulfilled'])
  // A server runs the two with one id in any order.
  assert.notEqual(one, other)
  assert.equal((await store.views.list({ limit: 9 })).length, 3)
})

test('commits_total counts the transactions that the disk has, and none that failed', async (t) => {
  const { engine } = open(t)
  const good: Statement = ['select 1', []]
  const bad: Statement = ['insert into lead (id) values (null)', []]
  const counted = async (...batches: Statement[]) => {
    const before = commitCount()
    await Promise.allSettled(batches.map((statement) => engine.run([statement])))
    return commitCount() - before
  }
  await engine.run([good])
  assert.equal(await counted(bad), 0)
  assert.equal(await counted(good, bad, good, good), 3, 'each of the good ones by itself')
})

function commitCount(): number {
  return Number(/^lead_intake_commits_total (\d+)$/m.exec(writeMetrics([]))?.[1] ?? 0)
}

test('a lead whose reference is taken gets another, and those beside it keep theirs', async (t) => {
  const { store } = open(t)
  const { reference } = lead(1)
  const leads = [lead(1), lead(2, { reference }), lead(3), lead(4, { reference })]
  const kept = await Promise.all(leads.map((each) => store.leads.keep(each)))
  const stored = await store.leads.findMany(leads.map(({ id }) => id))
  assert.deepEqual(
    kept,
    stored.map((each) => ({ kind: 'kept', reference: each.reference })),
  )
  assert.equal(new Set(stored.map((each) => each.reference)).size, 4)
  assert.equal(stored[2]!.reference, lead(3).reference)
  const found = await findNamed(store, ` ${stored[1]!.reference.toLowerCase()}`)
  assert.equal(found?.id, lead(2).id)
})

test('one of several changes that saw the same version is made, and nothing of the others stays', async (t) => {
  const { engine, database } = open(t)
  const store = new Store(
    engine,
    recipientsOf(() => ['mail']),
  )
  await store.leads.keep(lead(1))
  const seen = (await store.leads.find(lead(1).id))!
  const outcomes = await Promise.all([
    moveLead(store, seen, { to: 'contacted', by: 'ann', at: nowMs }),
    moveLead(store, seen, { to: 'withdrawn', by: 'sender', at: nowMs }),
    addNote(store, seen, { at: nowMs, memberId: 'ann', words: 'Ring back' }),
    addNote(store, seen, { at: nowMs, memberId: 'ben', words: 'Call back' }),
    eraseLead(store, seen, { by: 'ann', at: nowMs }),
  ])
  assert.equal(outcomes.filter(Boolean).length, 1)
  const after = (await store.leads.find(lead(1).id))!
  const [events = []] = await store.leads.eventsOf([after])
  assert.deepEqual([after.version, events.map(({ number }) => number)], [2, [0, 1]])
  const kind = events[1]!.kind
  assert.equal((await store.leads.notesOf([after])).length, kind === 'lead.noted' ? 1 : 0)
  assert.equal(after.values.name === '', kind === 'lead.erased')
  const told = await database.execute(`select id from delivery where kind = 'lead.withdrawn'`)
  assert.equal(told.length, kind === 'lead.withdrawn' ? 1 : 0)
})

test('a database of a newer program, or with other migrations, is refused and not touched', async (t) => {
  const { store, database } = open(t)
  await store.leads.keep(lead(1))
  await store.close()
  const openAgain = async () => {
    const engine = database.open()
    t.after(() => engine.close())
    await new Store(engine, nobody).views.list({ limit: 1 })
  }
  await database.execute(`insert into migration (name, hash, at) values ('9999-later.sql', '', 0)`)
  await assert.rejects(openAgain, StoreRefused)
  await assert.rejects(openAgain, /newer version/)
  // As many as this program has, under other names.
  await database.execute(`delete from migration where name < '9'`)
  await assert.rejects(openAgain, StoreRefused)
  await assert.rejects(openAgain, /belongs to another build/)
})

test('while a table that a lead needs is missing, the store is not ready and refuses leads', async (t) => {
  for (const table of ['event', 'dedup', 'lead']) {
    const { store, database } = open(t)
    await store.leads.keep(lead(1))
    assert.deepEqual(await store.state(nowMs), {})
    await database.execute(`drop table ${table}`)
    const refused = { name: 'StorageUnavailable', reason: 'refused' }
    await assert.rejects(store.probe(nowMs), refused)
    assert.deepEqual(await store.state(nowMs), { away: 'refused' })
    await assert.rejects(store.leads.keep(lead(2, { personKeys: ['e1'] })), refused)
  }
})

test('the worker of deliveries is called for a lead that somebody is notified of, and for no other', async (t) => {
  const { store } = open(t)
  let calls = 0
  store.leads.onDue(() => (calls += 1))
  await store.leads.keep(lead(1))
  // No phone was added.
  await store.leads.keep(lead(2, { deliverTo: ['push'] }))
  assert.equal(calls, 0)
  await store.leads.keep(lead(3, { deliverTo: ['mail', 'push'] }))
  assert.equal(calls, 1)
  // A node whose commit came after its deadline sends the lead again from its journal.
  await store.leads.keep(lead(3, { deliverTo: ['mail', 'push'] }))
  assert.equal(calls, 2)
})

function open(t: Parameters<typeof newDatabase>[0]) {
  const database = newDatabase(t, { inThread: true })
  const engine = database.open()
  const store = new Store(engine, nobody)
  t.after(() => store.close().catch(() => {}))
  return { engine, store, database }
}

async function counts(database: TestDatabase): Promise<Record<string, number>> {
  const count = async (table: string) =>
    Number((await database.execute(`select count(*) as n from ${table}`))[0]!['n'])
  return {
    lead: await count('lead'),
    delivery: await count('delivery'),
  }
}
