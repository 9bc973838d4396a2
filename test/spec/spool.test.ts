import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import test, { after, before } from 'node:test'
import type { ChannelsFor } from '../../src/contract/notices.ts'
import { openNode } from '../../src/store/node.ts'
import { spoolName } from '../../src/store/read-spool.ts'
import type { EarlierDedup, DedupKey } from '../../src/store/rows.ts'
import { ownDedupKey } from '../../src/store/spooled.ts'
import type { Store } from '../../src/store/store.ts'
import { verifyEvents } from '../../src/store/verify.ts'
import { drained } from '../support/drained.ts'
import { filesWith } from '../support/files-with.ts'
import { newLead as lead } from '../support/new-lead.ts'
import { newPostgresDatabase } from '../support/postgres-database.ts'
import { openPostgresServer } from '../support/postgres.ts'
import type { Postgres } from '../support/postgres.ts'
import { temporaryFolder } from '../support/service.ts'
import { until } from '../support/until.ts'

type Cleaner = { after(callback: () => void | Promise<void>): void }

let server: Postgres
before(async () => {
  server = await openPostgresServer()
})
after(() => server.close())

test('while the server is down leads are kept, and drained once and in order when it is back', async (t) => {
  const { store } = await openNodeOn(t)
  await store.keepLead(lead(1))
  await server.stop('immediate')
  const kept = await Promise.all([2, 3, 4, 5].map((index) => store.keepLead(lead(index))))
  assert.ok(kept.every(({ kind }) => kind === 'kept'))
  await store.probe(Date.now())
  const away = await store.state()
  assert.equal(away.spool?.depth, 4)
  assert.equal(away.spool.oldestAt, lead(2).receivedAt)
  assert.equal(typeof away.away, 'string')

  await server.start()
  await drained(store)
  assert.deepEqual(await idsIn(store), [1, 2, 3, 4, 5])
  assert.deepEqual(await verifyEvents(store), { leads: 5, events: 5, breaks: [] })
})

test('what was drained leaves no word of the person on the node', async (t) => {
  const { store, dataDir } = await openNodeOn(t)
  await server.stop('fast')
  const values = { ...lead(1).values, name: 'Spooley', message: 'Spooley '.repeat(900) }
  await store.keepLead(lead(1, { values }))
  assert.notDeepEqual(filesWith(dataDir, /Spooley/), [])
  await server.start()
  await drained(store)
  await until(() => filesWith(dataDir, /Spooley/).length === 0, 'the words are gone')
})

test('a key means the same lead before, during and after an absence', async (t) => {
  const { store } = await openNodeOn(t)
  const keyed = (index: number, key: string, message = '') =>
    lead(index, { dedup: { by: 'key', value: key }, values: { ...lead(0).values, message } })
  await store.keepLead(keyed(1, 'early'))
  await server.stop('fast')
  assert.deepEqual(await store.keepLead(keyed(2, 'early')), { kind: 'repeated', id: lead(1).id })
  assert.deepEqual(await store.keepLead(keyed(3, 'early', 'x')), { kind: 'key-reused' })
  assert.deepEqual(await store.keepLead(keyed(4, 'late')), { kind: 'kept' })
  assert.deepEqual(await store.keepLead(keyed(5, 'late')), { kind: 'repeated', id: lead(4).id })
  assert.deepEqual(await store.keepLead(keyed(6, 'late', 'x')), { kind: 'key-reused' })
  await server.start()
  assert.deepEqual(await store.keepLead(keyed(7, 'late')), { kind: 'repeated', id: lead(4).id })
  await drained(store)
  assert.deepEqual(await store.keepLead(keyed(8, 'late')), { kind: 'repeated', id: lead(4).id })
  assert.deepEqual(await idsIn(store), [1, 4])
})

test('a server that hangs delays nobody for long, and what it commits late is not kept twice', async (t) => {
  const { store } = await openNodeOn(t)
  await store.keepLead(lead(0))
  const keeping = Array.from({ length: 40 }, (_, index) => store.keepLead(lead(index + 1)))
  server.freeze()
  keeping.push(...Array.from({ length: 40 }, (_, index) => store.keepLead(lead(index + 41))))
  const kept = await Promise.all(keeping)
  assert.ok(kept.every(({ kind }) => kind === 'kept'))
  assert.ok((await store.state()).spool!.depth >= 40)
  server.thaw()
  await drained(store)
  assert.equal((await idsIn(store)).length, 81)
  assert.deepEqual((await verifyEvents(store)).breaks, [])
})

test('a server that can only be read counts as away until it can be written', async (t) => {
  const { store, database } = await openNodeOn(t)
  await store.keepLead(lead(1))
  const readOnly = async (value: 'on' | 'off') => {
    await database.execute(
      `set transaction read write; alter database postgres set default_transaction_read_only = ${value}`,
    )
    await database.execute(
      `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'lead-intake'`,
    )
  }
  await readOnly('on')
  for (const index of [2, 3, 4]) await store.keepLead(lead(index))
  assert.equal((await store.state()).spool?.depth, 3)
  assert.equal((await store.findLead(lead(1).id))?.id, lead(1).id)
  await readOnly('off')
  await drained(store)
  assert.deepEqual(await idsIn(store), [1, 2, 3, 4])
})

test('one lead that two nodes took while they could not ask is one, under both names', async (t) => {
  const [one, other] = await openTwoNodes(t)
  const keyed = (index: number) => lead(index, { dedup: { by: 'key', value: 'k' }, values: same })
  const same = lead(0).values
  await server.stop('fast')
  await one.keepLead(keyed(1))
  await other.keepLead(keyed(2))
  await one.keepLead(lead(3, { values: { ...same, message: 'no key' } }))
  await other.keepLead(lead(4, { values: { ...same, message: 'no key' } }))
  await server.start()
  await Promise.all([drained(one), drained(other)])
  assert.equal((await idsIn(one)).length, 2)
  for (const pair of [
    [1, 2],
    [3, 4],
  ]) {
    const found = await Promise.all(pair.map((index) => other.findLead(lead(index).id)))
    assert.equal(found[0]!.id, found[1]!.id)
    const [start, tail] = [lead(pair[1]!).id.slice(0, 13), lead(pair[1]!).id.slice(19)]
    assert.equal((await other.findLeadByEnds({ start, tail }))!.id, found[0]!.id)
  }
  assert.deepEqual((await verifyEvents(one)).breaks, [])
})

test('a key that two nodes took for different leads costs neither of them', async (t) => {
  const [one, other] = await openTwoNodes(t)
  await server.stop('fast')
  await one.keepLead(lead(1, { dedup: { by: 'key', value: 'k' } }))
  await other.keepLead(lead(2, { dedup: { by: 'key', value: 'k' } }))
  await server.start()
  await Promise.all([drained(one), drained(other)])
  assert.deepEqual(await idsIn(one), [1, 2])
  assert.deepEqual((await verifyEvents(one)).breaks, [])
})

test('a lead that the database refuses is set aside with the reason, and holds up nobody', async (t) => {
  const { store } = await openNodeOn(t)
  const nul = { ...lead(0).values, message: 'a\0b' }
  await server.stop('fast')
  for (const index of [1, 2, 3]) {
    await store.keepLead(lead(index, index === 2 ? { values: nul } : {}))
  }
  await server.start()
  await drained(store)
  assert.deepEqual(await idsIn(store), [1, 3])
  const { spool } = await store.state()
  assert.deepEqual(
    spool!.rejected.map(({ leadId }) => leadId),
    [lead(2).id],
  )
  assert.match(spool!.rejected[0]!.reason, /^22021: invalid byte sequence/)
  // The same, while the server is there, and beside others in one group.
  const beside = await Promise.all(
    [4, 5, 6].map((index) => store.keepLead(lead(index, index === 5 ? { values: nul } : {}))),
  )
  assert.deepEqual(
    beside.map(({ kind }) => kind),
    ['kept', 'repeated', 'kept'],
  )
  await drained(store)
  assert.deepEqual(await idsIn(store), [1, 3, 4, 6])
  assert.equal((await store.findLead(lead(2).id))?.id, lead(2).id)
})

test('what was set aside is tried again after the next start', async (t) => {
  const { store, database, url, dataDir } = await openNodeOn(t)
  await database.execute(`alter table lead add constraint odd check (message <> 'odd')`)
  await store.keepLead(lead(1, { values: { ...lead(1).values, message: 'odd' } }))
  await drained(store)
  assert.equal((await store.state()).spool!.rejected.length, 1)
  await database.execute('alter table lead drop constraint odd')
  await store.close()
  const again = await open(t, url, dataDir)
  await until(async () => (await again.state()).spool!.depth === 0, 'the spool is empty')
  assert.deepEqual(await idsIn(again), [1])
})

test('a lead withdrawn while it waits is withdrawn when it arrives', async (t) => {
  const { store } = await openNodeOn(t)
  await server.stop('fast')
  await store.keepLead(lead(1, { deliverTo: ['mail'] }))
  const waiting = await store.findLead(lead(1).id)
  const moved = await store.moveLead(waiting!, 'withdrawn', 'sender', Date.now(), toMail)
  assert.equal(moved.kind, 'moved')
  await server.start()
  await drained(store)
  const arrived = await store.findLead(lead(1).id)
  assert.equal(arrived!.state, 'withdrawn')
  assert.deepEqual(await verifyEvents(store), { leads: 1, events: 2, breaks: [] })
  assert.deepEqual(await toldByMail(store), [
    [1, 'lead.received'],
    [1, 'lead.withdrawn'],
  ])
})

test('the same words, withdrawn and sent again while they wait, are each what their sender was told', async (t) => {
  const { store } = await openNodeOn(t)
  const same = { values: lead(0).values }
  await server.stop('fast')
  for (const index of [1, 2, 3, 4]) {
    await store.keepLead(lead(index, same))
    await withdraw(store, index)
  }
  await store.keepLead(lead(5, same))
  await server.start()
  await drained(store)
  assert.deepEqual(await idsIn(store), [1, 2, 3, 4, 5])
  const found = await Promise.all([1, 2, 3, 4, 5].map((index) => store.findLead(lead(index).id)))
  assert.deepEqual(
    found.map((each) => each!.state),
    ['withdrawn', 'withdrawn', 'withdrawn', 'withdrawn', 'new'],
  )
  assert.deepEqual((await verifyEvents(store)).breaks, [])
})

test('a lead sent again after it was withdrawn is a lead of its own, wherever and whenever', async (t) => {
  const [one, other] = await openTwoNodes(t)
  const words = (message: string) => ({ values: { ...lead(0).values, message } })
  // Withdrawn before the server goes away: sent once, sent twice, sent with a key.
  await one.keepLead(lead(1, words('once')))
  await one.keepLead(lead(2, words('twice')))
  await one.keepLead(lead(3, words('twice')))
  await one.keepLead(lead(4, { ...words('key'), dedup: { by: 'key', value: 'k' } }))
  for (const index of [1, 2, 4]) await withdraw(one, index)
  await server.stop('fast')
  for (const [index, message] of [
    [11, 'once'],
    [12, 'twice'],
    [14, 'key'],
  ] as const) {
    assert.deepEqual(await one.keepLead(lead(index, words(message))), { kind: 'kept' })
  }
  // Withdrawn while it is away, and sent again to the other node.
  await one.keepLead(lead(15, words('away')))
  await withdraw(one, 15)
  assert.deepEqual(await other.keepLead(lead(16, words('away'))), { kind: 'kept' })
  await server.start()
  await Promise.all([drained(one), drained(other)])
  for (const index of [11, 12, 14, 16]) {
    const found = await one.findLead(lead(index).id)
    assert.deepEqual([found?.id, found?.state], [lead(index).id, 'new'])
  }
  for (const index of [1, 2, 4, 15]) {
    assert.equal((await other.findLead(lead(index).id))!.state, 'withdrawn')
  }
  assert.deepEqual((await verifyEvents(one)).breaks, [])
})

for (const first of [0, 1] as const) {
  test(`the same, whichever node is drained first (${first})`, async (t) => {
    const { store, url, dataDir } = await openNodeOn(t)
    const otherDir = temporaryFolder(t)
    const other = await open(t, url, otherDir)
    const words = (message: string) => ({ values: { ...lead(0).values, message } })
    const keyed = { ...words('key'), dedup: { by: 'key', value: 'k' } } as const
    await store.keepLead(lead(1, words('before')))
    await server.stop('fast')
    // Withdrawn at the other node; sent again here.
    await other.keepLead(lead(2, words('before')))
    await other.keepLead(lead(3, keyed))
    await other.keepLead(lead(4, words('long')))
    for (const index of [2, 3]) await withdraw(other, index)
    for (const [index, parts] of [
      [12, words('before')],
      [13, keyed],
      [14, { ...words('long'), receivedAt: lead(4).receivedAt + 20 * 60_000 }],
    ] as const) {
      assert.deepEqual(await store.keepLead(lead(index, parts)), { kind: 'kept' })
    }
    await store.close()
    await other.close()
    await server.start()
    const order = first === 0 ? [dataDir, otherDir] : [otherDir, dataDir]
    for (const folder of order) {
      const node = await open(t, url, folder)
      await drained(node)
      await node.close()
    }
    const found = await open(t, url, temporaryFolder(t))
    const stateOf = async (index: number) => (await found.findLead(lead(index).id))!.state
    for (const index of [4, 12, 13, 14]) assert.equal(await stateOf(index), 'new', `lead ${index}`)
    for (const index of [2, 3]) assert.equal(await stateOf(index), 'withdrawn', `lead ${index}`)
    assert.equal((await found.findLead(lead(14).id))!.id, lead(14).id)
    // What was sent once is not noted as repeated.
    for (const index of [13, 14]) {
      const [events] = await found.eventsOf([(await found.findLead(lead(index).id))!])
      assert.deepEqual(
        events!.map(({ kind }) => kind),
        ['lead.received'],
        `lead ${index}`,
      )
    }
    assert.deepEqual((await verifyEvents(found)).breaks, [])
  })
}

test('a withdrawal is not lost where a drain was cut off before it', async (t) => {
  const { store, url, dataDir } = await openNodeOn(t)
  const same = { values: lead(0).values }
  await server.stop('fast')
  await store.keepLead(lead(1, same))
  await withdraw(store, 1)
  // Sent again: the first has no claim of its own any more.
  await store.keepLead(lead(2, same))
  await store.close()
  await server.start()
  const elsewhere = await open(t, url, temporaryFolder(t))
  await elsewhere.keepLead({ ...lead(1, same), dedup: earlier(ownDedupKey(lead(1).id)) })
  const again = await open(t, url, dataDir)
  await drained(again)
  const states = [1, 2].map(async (index) => (await again.findLead(lead(index).id))!.state)
  assert.deepEqual(await Promise.all(states), ['withdrawn', 'new'])
  assert.deepEqual((await verifyEvents(again)).breaks, [])
})

test('a lead that became another name of one, which was then erased, does not come back', async (t) => {
  const { store, database, url, dataDir } = await openNodeOn(t)
  const same = { values: lead(0).values }
  await store.keepLead(lead(1, same))
  await server.stop('fast')
  await store.keepLead(lead(2, same))
  await store.close()
  await server.start()
  // As a drain leaves it that was cut off before the lead left the spool.
  await database.execute(`insert into alias values ('${lead(2).id}', '${lead(1).id}')`)
  const elsewhere = await open(t, url, temporaryFolder(t))
  const found = await elsewhere.findLead(lead(1).id)
  await elsewhere.eraseLead(found!, Date.now())
  const again = await open(t, url, dataDir)
  await drained(again)
  assert.deepEqual(await idsIn(again), [1])
  assert.equal((await again.findLead(lead(2).id))!.state, 'erased')
})

test('a lead withdrawn where it waits is withdrawn, though another node had it already', async (t) => {
  const [one, other] = await openTwoNodes(t)
  const same = { values: lead(0).values, deliverTo: ['mail'] }
  await other.keepLead(lead(1, same))
  await server.stop('fast')
  await one.keepLead(lead(2, same))
  await withdraw(one, 2)
  await server.start()
  await drained(one)
  for (const index of [1, 2]) {
    const found = await other.findLead(lead(index).id)
    assert.deepEqual([found!.id, found!.state], [lead(1).id, 'withdrawn'])
  }
  assert.deepEqual(await toldByMail(one), [
    [1, 'lead.received'],
    [1, 'lead.withdrawn'],
  ])
  assert.deepEqual((await verifyEvents(one)).breaks, [])
})

test('a lead withdrawn where it waits is withdrawn, whatever else has happened to it since', async (t) => {
  const { store, database, url, dataDir } = await openNodeOn(t)
  await server.stop('fast')
  await store.keepLead(lead(1))
  await withdraw(store, 1)
  await store.close()
  await server.start()
  // As a drain leaves it that was cut off after the first of two commits; then somebody moved it.
  const elsewhere = await open(t, url, temporaryFolder(t))
  await elsewhere.keepLead({ ...lead(1), dedup: earlier(claimOf(dataDir)) })
  const arrived = await elsewhere.findLead(lead(1).id)
  await elsewhere.moveLead(arrived!, 'contacted', 'owner', Date.now())
  const again = await open(t, url, dataDir)
  await drained(again)
  const found = await again.findLead(lead(1).id)
  assert.equal(found!.state, 'withdrawn')
  assert.deepEqual(await verifyEvents(again), { leads: 1, events: 3, breaks: [] })
  assert.equal((await database.execute('select 1 as one from alias')).length, 0)
})

test('a node starts though its server stops answering while it does', async (t) => {
  const { store, database, url, dataDir } = await openNodeOn(t)
  await store.keepLead(lead(1))
  await store.close()
  const release = await database.hold('lock table installation in access exclusive mode')
  const again = await open(t, url, dataDir)
  assert.deepEqual(await again.keepLead(lead(2)), { kind: 'kept' })
  await release()
  await drained(again)
  assert.deepEqual(await idsIn(again), [1, 2])
})

test('a node that has been connected starts without the server, and drains what it finds', async (t) => {
  const { store, url, dataDir } = await openNodeOn(t)
  await server.stop('fast')
  await store.keepLead(lead(1))
  await store.close()
  const again = await open(t, url, dataDir)
  await again.keepLead(lead(2))
  assert.equal((await again.state()).spool?.depth, 2)
  await server.start()
  await drained(again)
  assert.deepEqual(await idsIn(again), [1, 2])
})

/** As soon as it came in. */
async function withdraw(store: Store, index: number): Promise<void> {
  const found = await store.findLead(lead(index).id)
  const at = lead(index).receivedAt
  const moved = await store.moveLead(found!, 'withdrawn', 'sender', at, toMail)
  assert.equal(moved.kind, 'moved')
}

const toMail: ChannelsFor = () => ['mail']

/** Number of the lead, and of what: in the order it is told. */
async function toldByMail(store: Store): Promise<[number, string][]> {
  const now = Date.now() * 2
  const claim = { channel: 'mail', now, leaseUntil: now + 1_000, limit: 5 }
  const claimed = await store.leaseDeliveries(claim)
  return claimed
    .map(({ leadId, kind }): [number, string] => [numberOf(leadId), kind])
    .toSorted(([, one], [, other]) => one.localeCompare(other))
}

function earlier(held: DedupKey): EarlierDedup {
  return { by: 'earlier', held, since: [], isAnother: () => Promise.resolve(false) }
}

/** Of the one lead in a spool. */
function claimOf(dataDir: string): DedupKey {
  const spool = new DatabaseSync(join(dataDir, spoolName), { readOnly: true })
  try {
    const row = spool.prepare('select dedup_key, dedup_until from lead').get()!
    return { name: String(row['dedup_key']), until: Number(row['dedup_until']) }
  } finally {
    spool.close()
  }
}

async function openNodeOn(t: Cleaner) {
  const database = newPostgresDatabase(server.url)
  await database.execute('select 1')
  const dataDir = temporaryFolder(t)
  return { store: await open(t, database.url, dataDir), database, url: database.url, dataDir }
}

async function openTwoNodes(t: Cleaner): Promise<[Store, Store]> {
  const { store, url } = await openNodeOn(t)
  return [store, await open(t, url, temporaryFolder(t))]
}

async function open(t: Cleaner, url: string, dataDir: string): Promise<Store> {
  const store = await openNode({ url, dataDir, now: Date.now, report: () => {} })
  let closing: Promise<void> | undefined
  const close = () => (closing ??= store.close())
  t.after(close)
  return { ...store, close }
}

function numberOf(leadId: string): number {
  return Number(leadId.slice(-12))
}

/** By the number of the test's lead, oldest first. */
async function idsIn(store: Store): Promise<number[]> {
  const leads = await store.listLeads({ limit: 500 })
  return leads.map(({ id }) => numberOf(id)).toReversed()
}
