import { findNamed } from '../../src/lead/find.ts'
import assert from 'node:assert/strict'
import test from 'node:test'
import { StorageUnavailable, StoreRefused } from '../../src/store/engine/engine.ts'
import type { Engine } from '../../src/store/engine/engine.ts'
import { minuteReferenceOf } from '../../src/store/minute-reference.ts'
import { referenceOf } from '../../src/store/reference.ts'
import { openStore } from '../../src/store/store.ts'
import type { Store } from '../../src/store/store.ts'
import { verifyEvents } from '../../src/store/verify.ts'
import { newDatabase, onPostgres } from '../support/engines.ts'
import type { TestDatabase } from '../support/postgres-database.ts'
import { newLead as lead, nowMs } from '../support/new-lead.ts'

test('a lead and its deliveries are kept together or not at all [keep.batch]', async (t) => {
  const { store, database } = open(t)
  await store.keepLead(lead(1, { deliverTo: ['mail', 'webhook'] }))
  // A second lead, one of whose deliveries breaks a rule, goes with all that belongs to it.
  const broken = [null as unknown as string]
  await assert.rejects(store.keepLead(lead(2, { deliverTo: ['mail', ...broken] })))
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
    const store = openStore(slow)
    const first = lead(10 * index + 1)
    await assert.rejects(store.keepLead(first), StorageUnavailable)
    if (when === 'before') await engine.run(late!)
    const retry = { ...first, id: lead(10 * index + 2).id }
    const kept = await store.keepLead(retry)
    if (when === 'after') await engine.run(late!).catch(() => {})
    const told = kept.kind === 'repeated' ? kept.id : retry.id
    assert.equal((await store.findLead(told))?.id, told)
    assert.equal((await store.listLeads({ limit: 9 })).length, index + 1)
  }
  assert.deepEqual((await verifyEvents(openStore(engine))).breaks, [])
})

test('a lead is found by its reference, new or old, and by its receipt, in one query each', async (t) => {
  const { engine, store } = open(t)
  const { id } = lead(1)
  await store.keepLead(lead(1))
  await store.keepLead(lead(2))
  let queries = 0
  const counting = openStore({
    ...engine,
    read: (...query) => {
      queries += 1
      return engine.read(...query)
    },
  })
  for (const reference of [referenceOf(id), minuteReferenceOf(id)]) {
    const found = await counting.findByReference(reference)
    assert.deepEqual(
      found.map((each) => each.id),
      [id],
    )
  }
  const found = await counting.findLeadByEnds({ start: id.slice(0, 13), tail: id.slice(19) })
  assert.equal(found?.id, id)
  assert.equal(queries, 3)
})

test('one broken batch does not take those beside it down', async (t) => {
  const { store } = open(t)
  const same = lead(1)
  const results = await Promise.allSettled([
    store.keepLead(lead(2)),
    store.keepLead(same),
    // Another lead under the same id.
    store.keepLead({ ...same, values: { ...same.values, name: 'Other' } }),
    // A row that the schema refuses.
    store.keepLead(lead(4, { agent: null as unknown as string })),
    store.keepLead(lead(3)),
  ])
  assert.deepEqual(
    results.map(({ status }) => status),
    ['fulfilled', 'fulfilled', 'rejected', 'rejected', 'fulfilled'],
  )
  assert.equal((await store.listLeads({ limit: 9 })).length, 3)
})

test('many leads sent at once are all kept, each with its event', async (t) => {
  const { store } = open(t)
  // On PostgreSQL those that find no free connection in time go to the journal.
  const count = onPostgres ? 100 : 1_000
  const kept = await Promise.all(
    Array.from({ length: count }, (_, index) => store.keepLead(lead(index))),
  )
  assert.ok(kept.every(({ kind }) => kind === 'kept'))
  assert.deepEqual(await verifyEvents(store), { leads: count, events: count, breaks: [] })
  assert.equal(await store.countLeads('new', 50), 50)
  assert.equal(await store.countLeads(undefined, 5_000), count)
})

test('a lead is found by its reference, and two that share one are both found', async (t) => {
  const { store } = open(t)
  await store.keepLead(lead(1))
  await store.keepLead(lead(2))
  // The last ten bits are the same, and so is the minute.
  const twin = lead(3, { id: lead(1).id.replace('-8000-', '-9000-') })
  await store.keepLead(twin)
  const first = await store.findLead(lead(1).id)
  const found = await findNamed(store, first!.reference.toLowerCase())
  assert.deepEqual(found.map(({ id }) => id).sort(), [lead(1).id, twin.id])
})

test('pages of leads follow each other without a gap or a repeat', async (t) => {
  const { store } = open(t)
  for (let index = 0; index < 25; index += 1) await store.keepLead(lead(index))
  const seen: string[] = []
  for (let before: string | undefined; ; before = seen.at(-1)) {
    const page = await store.listLeads({ state: 'new', limit: 10, ...(before && { before }) })
    seen.push(...page.map(({ id }) => id))
    if (page.length < 10) break
  }
  assert.deepEqual(
    seen,
    Array.from({ length: 25 }, (_, index) => lead(24 - index).id),
  )
})

test('verify finds any change of a lead', async (t) => {
  const tampers = [
    `update lead set message = 'x'`,
    `update lead set email = 'x' || email`,
    `update lead set fingerprint = 'x'`,
    `update lead set door = 'form'`,
    `update lead set reasons = 'trap'`,
    `update lead set received_at = received_at + 1`,
    `update lead set received_at = 99999999999999999`,
    `update lead set event_head = 'x'`,
    `update lead set event_count = 0, event_head = ''`,
    `update lead set state = 'won'`,
    `update lead set state = 'held'`,
    `insert into event select id, event_count, received_at, 'lead.repeated', '{}', event_head from lead`,
  ]
  for (const moves of [0, 1]) {
    for (const tamper of tampers) {
      const { store, database } = open(t)
      await keepAndMove(store, moves)
      await database.execute(tamper)
      assert.equal((await verifyEvents(store)).breaks.length, 1, `${moves} moves: ${tamper}`)
    }
  }
})

test('verify finds any change of an event', async (t) => {
  const tampers = [
    `update event set data = replace(data, 'owner', 'sender')`,
    `update event set data = replace(data, 'new', 'held')`,
    `update event set data = 'x'`,
    `update event set data = 'null'`,
    `update event set at = at + 1`,
    `update event set kind = 'lead.withdrawn'`,
    `update event set hash = 'x' || substr(hash, 2)`,
    `update event set number = number + 2`,
    `delete from event`,
    `delete from event where number = 1`,
    `delete from event where number = 2`,
    `insert into event select lead_id, 3, at, kind, data, hash from event where number = 2`,
    `insert into event select lead_id, -1, at, kind, data, hash from event where number = 2`,
    `update event set at = 99999999999999999 where number = 2`,
    `delete from lead`,
  ]
  for (const tamper of tampers) {
    const { store, database } = open(t)
    await keepAndMove(store, 2)
    await database.execute(tamper)
    assert.equal((await verifyEvents(store)).breaks.length, 1, tamper)
  }
})

test('erasing links the events anew without the content, but mends no broken chain', async (t) => {
  for (const tamper of [undefined, `update event set at = at + 1 where number = 1`]) {
    const { store, database } = open(t)
    await keepAndMove(store, 2)
    if (tamper !== undefined) await database.execute(tamper)
    const found = await store.findLead(lead(1).id)
    await store.eraseLead(found!, { by: 'owner', at: nowMs })
    const erased = await store.findLead(lead(1).id)
    assert.deepEqual([erased?.state, erased?.fingerprint], ['erased', ''])
    const { events, breaks } = await verifyEvents(store)
    assert.deepEqual([events, breaks.length], [4, tamper === undefined ? 0 : 1])
    const rows = await database.execute('select hash from event')
    const before = new Set([found!.eventHead, found!.fingerprint])
    if (tamper === undefined) assert.ok(rows.every(({ hash }) => !before.has(String(hash))))
  }
})

test('a database written by a newer program is refused, and not touched', async (t) => {
  const { store, database } = open(t)
  await store.keepLead(lead(1))
  await store.close()
  await database.execute(`insert into migration (number, name, at) values (9999, 'later', 0)`)
  const later = async () => {
    const engine = database.open(nowMs)
    t.after(() => engine.close())
    await openStore(engine).listLeads({ limit: 1 })
  }
  await assert.rejects(later, StoreRefused)
  await assert.rejects(later, /newer version/)
})

test('starting twice runs no migration twice', async (t) => {
  const { store, database } = open(t)
  await store.keepLead(lead(1))
  await store.close()
  const again = openStore(database.open(nowMs))
  t.after(() => again.close())
  assert.equal((await again.listLeads({ limit: 5 })).length, 1)
})

function open(t: Parameters<typeof newDatabase>[0]) {
  const database = newDatabase(t)
  const engine = database.open(nowMs)
  const store = openStore(engine)
  t.after(() => store.close().catch(() => {}))
  return { engine, store, database }
}

async function keepAndMove(store: Store, moves: number): Promise<void> {
  await store.keepLead(lead(1))
  for (const to of (['contacted', 'lost'] as const).slice(0, moves)) {
    const found = await store.findLead(lead(1).id)
    await store.moveLead(found!, { to, by: 'owner', at: nowMs })
  }
}

async function counts(database: TestDatabase): Promise<Record<string, number>> {
  const count = async (table: string) =>
    Number((await database.execute(`select count(*) as n from ${table}`))[0]!['n'])
  return {
    lead: await count('lead'),
    delivery: await count('delivery'),
  }
}
