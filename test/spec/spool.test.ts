import assert from 'node:assert/strict'
import test, { after, before } from 'node:test'
import type { Report } from '../../src/log.ts'
import { openNotifier } from '../../src/delivery/notifier.ts'
import { searchLeads } from '../../src/desk/search.ts'
import { findSite } from '../../src/discovery/open-site.ts'
import { StorageUnavailable } from '../../src/store/engine/engine.ts'
import { openSharedStore } from '../../src/store/spool/open-shared.ts'
import type { Store } from '../../src/store/store.ts'
import type { Cleaner } from '../support/cleaner.ts'
import { listeningLog, secret, settingsOf } from '../support/delivery.ts'
import { drained } from '../support/drained.ts'
import { filesWith } from '../support/files-with.ts'
import { leadIntake } from '../support/operator.ts'
import { newLead as lead } from '../support/new-lead.ts'
import { newPostgresDatabase, setReadOnly } from '../support/postgres-database.ts'
import { openPostgresServer } from '../support/postgres.ts'
import type { Postgres } from '../support/postgres.ts'
import { cacheDir, temporaryFolder } from '../support/service.ts'
import { openMailSink } from '../support/smtp.ts'
import { until } from '../support/until.ts'

const { business } = await findSite({
  contentDir: 'content',
  cacheDir,
  baseUrl: 'https://decks.example.com',
  now: Date.now(),
})

let server: Postgres
before(async () => {
  server = await openPostgresServer()
})
after(() => server.close())

test('while the server is down leads are kept, and drained once and in order when it is back [nodes.away]', async (t) => {
  const { store } = await openNodeOn(t)
  await store.keepLead(lead(1))
  await server.stop('immediate')
  const kept = await Promise.all([2, 3, 4, 5].map((index) => store.keepLead(lead(index))))
  assert.ok(kept.every(({ kind }) => kind === 'kept'))
  await store.probe(Date.now())
  const away = await store.state(Date.now())
  assert.equal(away.spool?.depth, 4)
  assert.equal(away.spool.oldestAt, lead(2).receivedAt)
  assert.equal(typeof away.away, 'string')

  await server.start()
  await drained(store)
  assert.deepEqual(await idsIn(store), [1, 2, 3, 4, 5])
  const { leads } = await searchLeads(store, 'person')
  assert.equal(leads.length, 5, 'they can be searched')
})

test('the letter of a lead out of the spool does not wait for the next look around', async (t) => {
  const { store } = await openNodeOn(t)
  const mail = await openMailSink(t)
  const settings = settingsOf({
    SMTP_URL: mail.url,
    OWNER_EMAIL: 'owner@example.com',
    CANARY: 'off',
    DIGESTS: 'off',
  })
  const delivery = await openNotifier({
    settings,
    business,
    baseUrl: 'https://decks.example.com',
    secret,
    store,
    log: listeningLog([]),
    now: Date.now,
    lookAroundMs: 3_600_000,
  })
  t.after(() => delivery.stop())
  delivery.start(() => assert.fail('no lead is taken'))
  await delivery.settled()
  await server.stop('fast')
  // Without the wake that a lead taken through a door gives.
  await store.keepLead(lead(1, { deliverTo: ['mail'] }))
  await server.start()
  await drained(store)
  await until(() => mail.letters.length === 1, 'the letter has arrived')
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

test('a server that hangs delays nobody for long, and what it commits late is not kept twice [nodes.once]', async (t) => {
  const { store } = await openNodeOn(t)
  await store.keepLead(lead(0))
  const keeping = Array.from({ length: 40 }, (_, index) => store.keepLead(lead(index + 1)))
  server.freeze()
  keeping.push(...Array.from({ length: 40 }, (_, index) => store.keepLead(lead(index + 41))))
  const kept = await Promise.all(keeping)
  assert.ok(kept.every(({ kind }) => kind === 'kept'))
  assert.ok((await store.state(Date.now())).spool!.depth >= 40)
  server.thaw()
  await drained(store)
  assert.equal((await idsIn(store)).length, 81)
})

test('a server that can only be read counts as away until it can be written', async (t) => {
  const { store, database } = await openNodeOn(t)
  await store.keepLead(lead(1))
  await setReadOnly(database, 'on')
  for (const index of [2, 3, 4]) await store.keepLead(lead(index))
  assert.equal((await store.state(Date.now())).spool?.depth, 3)
  assert.equal((await store.findLead(lead(1).id))?.id, lead(1).id)
  await setReadOnly(database, 'off')
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
  }
})

test('a key that two nodes took for different leads costs neither of them', async (t) => {
  const [one, other] = await openTwoNodes(t)
  await server.stop('fast')
  await one.keepLead(lead(1, { dedup: { by: 'key', value: 'k' } }))
  await other.keepLead(lead(2, { dedup: { by: 'key', value: 'k' } }))
  await server.start()
  await Promise.all([drained(one), drained(other)])
  assert.deepEqual(await idsIn(one), [1, 2])
})

test('a lead that the database refuses is rejected with the reason, and holds up nobody', async (t) => {
  const { store } = await openNodeOn(t)
  const nul = { ...lead(0).values, message: 'a\0b' }
  await server.stop('fast')
  for (const index of [1, 2, 3]) {
    await store.keepLead(lead(index, index === 2 ? { values: nul } : {}))
  }
  await server.start()
  await drained(store)
  assert.deepEqual(await idsIn(store), [1, 3])
  const { spool } = await store.state(Date.now())
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
})

test('a rejected lead is tried again after the next start', async (t) => {
  const { store, database, url, dataDir } = await openNodeOn(t)
  await database.execute(`alter table lead add constraint odd check (message <> 'odd')`)
  await store.keepLead(lead(1, { values: { ...lead(1).values, message: 'odd' } }))
  await drained(store)
  assert.equal((await store.state(Date.now())).spool!.rejected.length, 1)
  await database.execute('alter table lead drop constraint odd')
  await store.close()
  const again = await open(t, url, dataDir)
  await until(async () => (await again.state(Date.now())).spool!.depth === 0, 'the spool is empty')
  assert.deepEqual(await idsIn(again), [1])
})

test('a rejected lead is listed, tried again and erased by command, beside the node', async (t) => {
  const { store, database, url, dataDir } = await openNodeOn(t)
  const command = (...args: string[]) =>
    leadIntake({ dataDir, env: { DATABASE_URL: url } }, ['leads', 'rejected', ...args])
  assert.equal((await command('list')).out, 'No rejected leads.\n')
  await database.execute(`alter table lead add constraint odd check (message not like 'odd%')`)
  const odd = (index: number) =>
    lead(index, {
      id: lead(index).id.replace('01900000', `0190000${index}`),
      values: { ...lead(index).values, message: `odd Spooley${index}` },
      deliverTo: ['mail'],
    })
  for (const index of [1, 2, 3]) await store.keepLead(odd(index))
  await drained(store)
  const references = [1, 2, 3].map((index) => odd(index).reference)
  const listed = await command('list', '--json')
  const shown = JSON.parse(listed.out) as { reference: string; reason: string }[]
  assert.deepEqual(
    shown.map(({ reference }) => reference),
    references,
  )
  assert.match(shown[0]!.reason, /^23514: /)
  assert.doesNotMatch(listed.out, /Spooley|example\.com/)

  const refused = await command('retry')
  assert.equal(refused.code, 1)
  assert.match(refused.error, /still refuses 3/)
  const unsure = await command('erase', references[0]!)
  assert.deepEqual([unsure.code, unsure.error.includes('--yes')], [2, true])
  const erased = await command('erase', references[0]!, '--yes')
  assert.deepEqual([erased.code, erased.out], [0, `${references[0]}: erased\n`])
  assert.equal((await command('erase', references[0]!, '--yes')).code, 3)

  await database.execute('alter table lead drop constraint odd')
  const kept = await command('retry', references[1]!)
  assert.deepEqual([kept.code, kept.out], [0, `${references[1]}: in the database\n`])
  assert.equal((await command('retry')).out, `${references[2]}: in the database\n`)
  assert.deepEqual(await idsIn(store), [2, 3])
  assert.equal((await store.countDeliveries())[0]!.waiting, 2, 'the letters are still to come')
  assert.equal((await searchLeads(store, 'spooley')).leads.length, 2)
  assert.equal((await store.state(Date.now())).spool!.depth, 0)
  // Last: to read the files here drops the locks that SQLite has on them.
  await until(() => filesWith(dataDir, /Spooley/).length === 0, 'their words are gone')
})

test('a lead in the spool cannot be looked up; once it is in the database it can', async (t) => {
  const { store } = await openNodeOn(t)
  const nul = { ...lead(2).values, message: 'a\0b' }
  await server.stop('fast')
  await store.keepLead(lead(1))
  await store.keepLead(lead(2, { values: nul }))
  await assert.rejects(store.findLead(lead(1).id), StorageUnavailable)
  await server.start()
  await drained(store)
  assert.equal((await store.findLead(lead(1).id))!.id, lead(1).id)
  await withdraw(store, 1)
  // The database refuses the other one, so it is still in the spool.
  await assert.rejects(store.findLead(lead(2).id), StorageUnavailable)
  assert.equal(await store.findLead(lead(3).id), undefined)
})

test('sending again after withdrawing makes a new lead, also by way of a spool', async (t) => {
  const [one, other] = await openTwoNodes(t)
  const words = (message: string) => ({ values: { ...lead(0).values, message } })
  await one.keepLead(lead(1, words('once')))
  await one.keepLead(lead(2, words('twice')))
  await one.keepLead(lead(3, words('twice')))
  await one.keepLead(lead(4, { ...words('key'), dedup: { by: 'key', value: 'k' } }))
  for (const index of [1, 2, 4]) await withdraw(one, index)
  await server.stop('fast')
  assert.deepEqual(await one.keepLead(lead(11, words('once'))), { kind: 'kept' })
  assert.deepEqual(await other.keepLead(lead(12, words('twice'))), { kind: 'kept' })
  assert.deepEqual(await one.keepLead(lead(14, words('key'))), { kind: 'kept' })
  await server.start()
  await Promise.all([drained(one), drained(other)])
  for (const index of [11, 12, 14]) {
    const found = await one.findLead(lead(index).id)
    assert.deepEqual([found?.id, found?.state], [lead(index).id, 'new'])
  }
  for (const index of [1, 2, 4]) {
    assert.equal((await other.findLead(lead(index).id))!.state, 'withdrawn')
  }
})

test('a key whose lead was withdrawn says so where that is known; what was acknowledged is kept', async (t) => {
  const [one, other] = await openTwoNodes(t)
  const { values } = lead(0)
  const keyed = (index: number) => lead(index, { dedup: { by: 'key', value: 'k' }, values })
  await one.keepLead(keyed(1))
  await withdraw(one, 1)
  const withdrawn = { kind: 'withdrawn', id: lead(1).id }
  assert.deepEqual(await one.keepLead(keyed(2)), withdrawn)
  await server.stop('fast')
  assert.deepEqual(await one.keepLead(keyed(3)), withdrawn)
  assert.deepEqual(await other.keepLead(keyed(4)), { kind: 'kept' })
  await server.start()
  await Promise.all([drained(one), drained(other)])
  const found = await one.findLead(lead(4).id)
  assert.deepEqual([found?.id, found?.state], [lead(4).id, 'new'])
  assert.equal((await other.findLead(lead(1).id))!.state, 'withdrawn')
})

for (const first of [0, 1] as const) {
  test(`two leads with the same content more than ten minutes apart stay two, in either order of draining (${first})`, async (t) => {
    const { store, url, dataDir } = await openNodeOn(t)
    const otherDir = temporaryFolder(t)
    const other = await open(t, url, otherDir)
    const later = { values: lead(1).values, receivedAt: lead(1).receivedAt + 20 * 60_000 }
    await server.stop('fast')
    await other.keepLead(lead(1))
    assert.deepEqual(await store.keepLead(lead(2, later)), { kind: 'kept' })
    await store.close()
    await other.close()
    await server.start()
    for (const folder of first === 0 ? [dataDir, otherDir] : [otherDir, dataDir]) {
      const node = await open(t, url, folder)
      await drained(node)
      await node.close()
    }
    const found = await open(t, url, temporaryFolder(t))
    assert.deepEqual(await idsIn(found), [1, 2])
    // Neither was sent twice.
    const events = await found.eventsOf(await found.listLeads({ limit: 5 }))
    assert.deepEqual(
      events.flat().map(({ kind }) => kind),
      ['lead.received', 'lead.received'],
    )
  })
}

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
  await elsewhere.eraseLead(found!, { by: 'owner', at: Date.now() })
  const again = await open(t, url, dataDir)
  await drained(again)
  assert.deepEqual(await idsIn(again), [1])
  assert.equal((await again.findLead(lead(2).id))!.state, 'erased')
})

test('a lead that was stored and erased before it left the spool does not come back', async (t) => {
  const { store, url, dataDir } = await openNodeOn(t)
  await server.stop('fast')
  await store.keepLead(lead(1))
  await store.close()
  await server.start()
  // As a drain leaves it that was cut off before the lead left the spool.
  const elsewhere = await open(t, url, temporaryFolder(t))
  await elsewhere.keepLead(lead(1))
  const found = await elsewhere.findLead(lead(1).id)
  await elsewhere.eraseLead(found!, { by: 'owner', at: Date.now() })
  const again = await open(t, url, dataDir)
  await drained(again)
  assert.deepEqual((await again.state(Date.now())).spool?.rejected, [])
  assert.equal((await again.findLead(lead(1).id))!.state, 'erased')
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

test('a node that has been connected starts without the server, and drains what it finds [nodes.start]', async (t) => {
  const { store, url, dataDir } = await openNodeOn(t)
  await server.stop('fast')
  await store.keepLead(lead(1))
  await store.close()
  const again = await open(t, url, dataDir)
  await again.keepLead(lead(2))
  assert.equal((await again.state(Date.now())).spool?.depth, 2)
  await server.start()
  await drained(again)
  assert.deepEqual(await idsIn(again), [1, 2])
})

test('when another node has migrated the database, leads wait in the spool, and the log says why', async (t) => {
  const { store, database, reports } = await openNodeOn(t, { lookEveryMs: 5 })
  await store.keepLead(lead(1))
  await database.execute(`insert into migration (name, hash, at) values ('9000-later.sql', '', 0)`)
  const told = () => reports.filter(({ event }) => event === 'database.newer')
  await until(() => told().length > 0, 'the node has noticed by itself')
  assert.equal((await store.keepLead(lead(2))).kind, 'kept')
  await store.probe(Date.now())
  const { away, spool } = await store.state(Date.now())
  assert.deepEqual([away, spool?.depth], ['newer-schema', 1])
  assert.equal((await database.execute('select 1 from lead')).length, 1)
  assert.equal((await store.findLead(lead(1).id))?.id, lead(1).id, 'it can still be read')
  await assert.rejects(store.moveLead((await store.findLead(lead(1).id))!, toContacted), {
    reason: 'newer-schema',
  })

  await database.execute(`delete from migration where name = '9000-later.sql'`)
  await drained(store)
  assert.deepEqual(await idsIn(store), [1, 2])
  assert.equal(told().length, 1)
})

test('a node that was connected before starts on a newer schema, and another does not', async (t) => {
  const { store, database, dataDir, url } = await openNodeOn(t)
  await store.close()
  await database.execute(`insert into migration (name, hash, at) values ('9000-later.sql', '', 0)`)
  const again = await open(t, url, dataDir)
  assert.equal((await again.keepLead(lead(1))).kind, 'kept')
  assert.equal((await again.state(Date.now())).away, 'newer-schema')
  await assert.rejects(open(t, url, temporaryFolder(t)), /newer version of this program/)
})

const toContacted = { to: 'contacted', by: 'owner', at: Date.now() } as const

/** As soon as it came in. */
async function withdraw(store: Store, index: number): Promise<void> {
  const found = await store.findLead(lead(index).id)
  const at = lead(index).receivedAt
  const moved = await store.moveLead(found!, { to: 'withdrawn', by: 'sender', at })
  assert.equal(moved.kind, 'moved')
}

async function openNodeOn(t: Cleaner, look: { lookEveryMs?: number } = {}) {
  const database = newPostgresDatabase(server.url)
  await database.execute('select 1')
  const dataDir = temporaryFolder(t)
  const reports: { event: string; facts: Parameters<Report>[1] }[] = []
  const report: Report = (event, facts) => void reports.push({ event, facts })
  const store = await open(t, database.url, dataDir, report, look)
  return { store, database, url: database.url, dataDir, reports }
}

async function openTwoNodes(t: Cleaner): Promise<[Store, Store]> {
  const { store, url } = await openNodeOn(t)
  return [store, await open(t, url, temporaryFolder(t))]
}

async function open(
  t: Cleaner,
  url: string,
  dataDir: string,
  report: Report = () => {},
  look: { lookEveryMs?: number } = {},
): Promise<Store> {
  const store = await openSharedStore({ url, dataDir, now: Date.now, report, ...look })
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
