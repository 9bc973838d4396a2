import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import test from 'node:test'
import { StorageUnavailable, StoreRefused } from '../../src/store/engine.ts'
import type { Engine, Row } from '../../src/store/engine.ts'
import { openSqlite } from '../../src/store/sqlite.ts'
import { openStore } from '../../src/store/store.ts'
import type { NewLead } from '../../src/store/rows.ts'
import { verifyEvents } from '../../src/store/verify.ts'
import { temporaryFolder } from '../support/service.ts'

const nowMs = Date.UTC(2026, 10, 15)

test('lead, event and deliveries are kept together or not at all', async (t) => {
  const { store, path, engine } = open(t)
  await store.keepLead(lead(1, { deliverTo: ['mail', 'webhook'] }))
  // A second lead whose event cannot be inserted takes its lead and deliveries with it.
  await engine.run([
    [
      `insert into event (lead_id, number, at, kind, data, hash) values ($1, 0, 0, '', '', '')`,
      [lead(2).id],
    ],
  ])
  await assert.rejects(store.keepLead(lead(2, { deliverTo: ['mail'] })))
  await store.close()
  assert.deepEqual(counts(path), { lead: 1, event: 2, delivery: 2 })
})

test('a commit that comes after we stopped waiting, and a retry, are one lead', async (t) => {
  const { engine } = open(t)
  for (const [index, when] of ['before', 'after'].entries()) {
    let late: Promise<unknown> | undefined
    const slow: Engine = {
      ...engine,
      run(batch) {
        if (late !== undefined) return engine.run(batch)
        late = when === 'before' ? engine.run(batch) : new Promise(() => {})
        return Promise.reject(new StorageUnavailable('slow'))
      },
    }
    const store = openStore(slow)
    const first = lead(10 * index + 1)
    await assert.rejects(store.keepLead(first), StorageUnavailable)
    if (when === 'before') await late
    const retry = { ...first, id: lead(10 * index + 2).id }
    assert.deepEqual(await store.keepLead(retry), { kind: 'repeated', id: first.id })
    assert.equal((await store.findLeads(first.id)).length, 1)
    assert.equal((await store.findLeads(retry.id)).length, 0)
  }
  assert.deepEqual((await verifyEvents(openStore(engine))).breaks, [])
})

test('one broken batch does not take those beside it down', async (t) => {
  const { store } = open(t)
  const same = lead(1)
  const results = await Promise.allSettled([
    store.keepLead(lead(2)),
    store.keepLead(same),
    store.keepLead({ ...same, values: { ...same.values, name: 'Other' } }),
    store.keepLead(lead(3)),
  ])
  assert.deepEqual(
    results.map(({ status }) => status),
    ['fulfilled', 'fulfilled', 'rejected', 'fulfilled'],
  )
  assert.equal((await store.listLeads({ limit: 9 })).length, 3)
})

test('a thousand leads sent at once are all kept, each with its event', async (t) => {
  const { store } = open(t)
  const kept = await Promise.all(
    Array.from({ length: 1_000 }, (_, index) => store.keepLead(lead(index))),
  )
  assert.ok(kept.every(({ kind }) => kind === 'kept'))
  assert.deepEqual(await verifyEvents(store), { leads: 1_000, events: 1_000, breaks: [] })
  assert.equal(await store.countLeads('new', 500), 500)
  assert.equal(await store.countLeads(undefined, 5_000), 1_000)
})

test('a lead is found by its reference, and two that share one are both found', async (t) => {
  const { store } = open(t)
  await store.keepLead(lead(1))
  await store.keepLead(lead(2))
  // The last ten bits are the same, and so is the minute.
  const twin = lead(3, { id: lead(1).id.replace('-8000-', '-9000-') })
  await store.keepLead(twin)
  const [first] = await store.findLeads(lead(1).id)
  const found = await store.findLeads(first!.reference.toLowerCase())
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

test('verify finds any change of an event or a lead', async (t) => {
  const tampers = [
    `update event set data = replace(data, 'json', 'jsom')`,
    `update event set at = at + 1`,
    `update event set kind = 'lead.held'`,
    `update event set hash = 'x' || substr(hash, 2)`,
    `delete from event`,
    `update lead set message = 'x'`,
    `update lead set email = 'x' || email`,
    `update lead set event_head = 'x'`,
    `update lead set state = 'won'`,
    `update lead set received_at = received_at + 1`,
    `delete from event; update lead set event_count = 0, event_head = ''`,
    `delete from lead`,
    `insert into event select lead_id, 1, at, kind, data, hash from event`,
  ]
  for (const tamper of tampers) {
    const { store, path } = open(t)
    await store.keepLead(lead(1))
    const db = new DatabaseSync(path, { enableForeignKeyConstraints: false })
    db.exec(tamper)
    db.close()
    const { breaks } = await verifyEvents(store)
    assert.equal(breaks.length, 1, tamper)
  }
})

test('a database written by a newer program is refused, and not touched', (t) => {
  const path = join(temporaryFolder(t), 'leads.sqlite')
  void openSqlite({ path, nowMs }).close()
  const db = new DatabaseSync(path)
  db.exec(`insert into migration (number, name, at) values (9999, 'later', 0)`)
  db.close()
  assert.throws(() => openSqlite({ path, nowMs }), StoreRefused)
  assert.throws(() => openSqlite({ path, nowMs }), /newer version/)
})

test('starting twice runs no migration twice', async (t) => {
  const { store, path } = open(t)
  await store.keepLead(lead(1))
  await store.close()
  const again = openStore(openSqlite({ path, nowMs }))
  t.after(() => again.close())
  assert.equal((await again.listLeads({ limit: 5 })).length, 1)
})

test('tables are strict, the log is synced in full, and what is deleted is overwritten', async (t) => {
  const { engine, path } = open(t)
  const rows = await engine.read(
    `select name from pragma_table_list where strict = 0 and schema = 'main' and name not like 'sqlite_%'`,
  )
  assert.deepEqual(rows, [])
  const [, ...pragmas] = await engine.run([
    ['insert into probe (id, at) values (1, 1)', []],
    ['pragma synchronous', []],
    ['pragma secure_delete', []],
    ['pragma journal_mode', []],
  ])
  assert.deepEqual(
    pragmas.map((result) => Object.values((result as Row[])[0]!)[0]),
    [2, 1, 'wal'],
  )
  assert.ok(path.endsWith('leads.sqlite'))
})

function open(
  t: Parameters<typeof temporaryFolder>[0] & { after(callback: () => Promise<void>): void },
) {
  const path = join(temporaryFolder(t), 'leads.sqlite')
  const engine = openSqlite({ path, nowMs })
  const store = openStore(engine)
  t.after(() => store.close().catch(() => {}))
  return { engine, store, path }
}

function lead(index: number, parts: Partial<NewLead> = {}): NewLead {
  const tail = String(index).padStart(12, '0')
  return {
    id: `01900000-0000-7000-8000-${tail}`,
    receivedAt: nowMs + index,
    values: {
      name: `Person ${index}`,
      email: `p${index}@example.com`,
      phone: '',
      postcode: '',
      message: '',
    },
    unlisted: '',
    botcheck: '',
    channel: 'json',
    agent: '',
    client: 'client',
    userAgent: '',
    judgement: { score: 0, reasons: [] },
    state: 'new',
    claim: { by: 'content' },
    deliverTo: [],
    ...parts,
  }
}

function counts(path: string): Record<string, number> {
  const db = new DatabaseSync(path, { readOnly: true })
  const count = (table: string) =>
    Number(db.prepare(`select count(*) as n from ${table}`).get()!['n'])
  const all = { lead: count('lead'), event: count('event'), delivery: count('delivery') }
  db.close()
  return all
}
