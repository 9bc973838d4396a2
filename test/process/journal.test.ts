import assert from 'node:assert/strict'
import { appendFileSync, existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test, { after, before } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Report } from '../../src/log.ts'
import { Notifier } from '../../src/delivery/notifier.ts'
import { searchLeads } from '../../src/desk/search.ts'
import { StorageUnavailable } from '../../src/store/engine/engine.ts'
import { Journal, readJournal } from '../../src/store/journal.ts'
import type { NewLead } from '../../src/store/leads/rows.ts'
import { makeSecret } from '../../src/store/secret.ts'
import { openSharedStore } from '../../src/store/shared-store.ts'
import type { Store } from '../../src/store/store.ts'
import { exampleSite } from '../support/app.ts'
import type { Cleaner } from '../support/cleaner.ts'
import { listeningLog, secret, settingsOf } from '../support/delivery.ts'
import { filesWith } from '../support/files-with.ts'
import { newLead as lead } from '../support/new-lead.ts'
import { leadIntake } from '../support/operator.ts'
import { newPostgresDatabase, setReadOnly } from '../support/postgres-database.ts'
import { openPostgresServer, type Postgres } from '../support/postgres.ts'
import { replayed } from '../support/replayed.ts'
import { temporaryFolder } from '../support/service.ts'
import { openMailSink } from '../support/smtp.ts'
import { until } from '../support/until.ts'

let server: Postgres
before(async () => {
  server = await openPostgresServer()
})
after(() => server.close())

test('leads are received while the server is down, and are in the database in order when it is back [nodes.away]', async (t) => {
  const { store, dataDir } = await openNode(t)
  await store.keepLead(lead(1))
  await server.stop('immediate')
  const kept = await Promise.all([2, 3, 4, 5].map((index) => store.keepLead(lead(index))))
  assert.ok(kept.every(({ kind }) => kind === 'kept'))
  await store.probe(Date.now())
  const { away, journal } = await store.state(Date.now())
  assert.equal(typeof away, 'string')
  assert.deepEqual(journal, { leads: 4, oldestAt: lead(2).receivedAt, refused: undefined })
  assert.deepEqual(readJournal(dataDir), journal)
  assert.equal(statSync(journalOf(dataDir)).mode & 0o777, 0o600)

  await server.start()
  await replayed(store)
  assert.deepEqual(await idsIn(store), [1, 2, 3, 4, 5])
  const { leads } = await searchLeads(store, 'person')
  assert.equal(leads.length, 5, 'they can be searched')
})

test('a replayed lead leaves no word on the node, and its letter goes out', async (t) => {
  const { store, dataDir } = await openNode(t)
  const mail = await openMailSink(t)
  const delivery = await Notifier.open({
    settings: settingsOf({
      SMTP_URL: mail.url,
      OWNER_EMAIL: 'owner@example.com',
      DIGESTS: 'off',
    }),
    business: exampleSite.business,
    baseUrl: 'https://decks.example.com',
    secret,
    store,
    log: listeningLog([]),
    now: Date.now,
  })
  t.after(() => delivery.stop())
  delivery.start()
  await delivery.settled()
  await server.stop('fast')
  const values = { ...lead(1).values, name: 'Sparrow' }
  await store.keepLead(lead(1, { values, deliverTo: ['mail'] }))
  assert.notDeepEqual(filesWith(dataDir, /Sparrow/), [])
  await server.start()
  await replayed(store)
  await until(() => mail.letters.length === 1, 'the letter has arrived')
  await until(() => !existsSync(journalOf(dataDir)), 'the journal is removed')
  assert.deepEqual(filesWith(dataDir, /Sparrow/), [])
})

test('a retry finds the lead in the journal, by its key or its content', async (t) => {
  const { store } = await openNode(t)
  const keyed = (index: number, message = '') =>
    lead(index, { dedup: { by: 'key', value: 'k' }, values: { ...lead(0).values, message } })
  const { id, reference } = lead(1)
  const repeated = { kind: 'repeated', id, reference }
  await server.stop('fast')
  const twice = await Promise.all([store.keepLead(keyed(1)), store.keepLead(keyed(2))])
  assert.deepEqual(twice, [{ kind: 'kept', reference }, repeated])
  assert.deepEqual(await store.keepLead(keyed(3, 'other')), { kind: 'key-reused' })
  assert.deepEqual(await store.keepLead({ ...keyed(4), dedup: { by: 'content' } }), repeated)
  await server.start()
  assert.deepEqual(await store.keepLead(keyed(5)), repeated)
  await replayed(store)
  assert.deepEqual(await store.keepLead(keyed(6)), repeated)
  assert.deepEqual(await idsIn(store), [1])
})

test('two sends of one key are one lead, though the server holds up the first and not the second', async (t) => {
  const { store, database } = await openNode(t)
  const keyed = (index: number) =>
    lead(index, { dedup: { by: 'key', value: 'k' }, values: lead(0).values })
  const release = await database.hold('lock table lead in access exclusive mode')
  const first = store.keepLead(keyed(1))
  // The second would wait for the server until after the first has given up.
  await sleep(500)
  const second = store.keepLead(keyed(2))
  assert.deepEqual(await first, keptAs(lead(1)))
  await release()
  const { id, reference } = lead(1)
  assert.deepEqual(await second, { kind: 'repeated', id, reference })
  await replayed(store)
  assert.deepEqual(await idsIn(store), [1])
})

test('a server that hangs delays nobody for long, and what it commits late is not kept twice [nodes.once]', async (t) => {
  const { store } = await openNode(t)
  await store.keepLead(lead(0))
  const keeping = Array.from({ length: 40 }, (_, index) => store.keepLead(lead(index + 1)))
  server.freeze()
  keeping.push(...Array.from({ length: 40 }, (_, index) => store.keepLead(lead(index + 41))))
  const kept = await Promise.all(keeping)
  assert.ok(kept.every(({ kind }) => kind === 'kept'))
  assert.ok((await store.state(Date.now())).journal!.leads >= 40)
  server.thaw()
  await replayed(store)
  assert.equal((await idsIn(store)).length, 81)
})

test('a server that can only be read counts as away until it can be written', async (t) => {
  const { store, database } = await openNode(t)
  await store.keepLead(lead(1))
  await setReadOnly(database, 'on')
  for (const index of [2, 3, 4]) await store.keepLead(lead(index))
  assert.equal((await store.state(Date.now())).journal?.leads, 3)
  assert.equal((await store.findLead(lead(1).id))?.id, lead(1).id)
  await setReadOnly(database, 'off')
  await replayed(store)
  assert.deepEqual(await idsIn(store), [1, 2, 3, 4])
})

test('one key that two nodes took during an outage is two leads, never none', async (t) => {
  const { store: one, url } = await openNode(t)
  const other = await open(t, url, temporaryFolder(t))
  const keyed = (index: number) =>
    lead(index, { dedup: { by: 'key', value: 'k' }, values: lead(0).values })
  await server.stop('fast')
  await one.keepLead(keyed(1))
  await other.keepLead(keyed(2))
  await other.keepLead(lead(3, { dedup: { by: 'key', value: 'k' } }))
  await server.start()
  await Promise.all([replayed(one), replayed(other)])
  assert.deepEqual(await idsIn(one), [1, 2])
  const again = await one.keepLead(keyed(4))
  assert.equal(again.kind, 'repeated')
})

test('a lead in the journal whose reference was taken meanwhile gets another', async (t) => {
  const { store: one, url } = await openNode(t)
  const other = await open(t, url, temporaryFolder(t))
  const { reference } = lead(1)
  await server.stop('fast')
  await one.keepLead(lead(1))
  assert.deepEqual(await other.keepLead(lead(2, { reference })), { kind: 'kept', reference })
  await server.start()
  await Promise.all([replayed(one), replayed(other)])
  const leads = await one.listLeads({ limit: 9 })
  assert.equal(leads.length, 2)
  assert.equal(leads.filter((each) => each.reference === reference).length, 1)
})

test('a lead that PostgreSQL refuses holds up nobody, and doctor says what to do with it', async (t) => {
  const { store, database, url, dataDir, reports } = await openNode(t)
  const doctor = () => leadIntake({ dataDir, env: { DATABASE_URL: url } }, ['doctor'])
  await database.execute(`alter table lead add constraint odd check (message <> 'odd')`)
  const odd = lead(2, { values: { ...lead(2).values, message: 'odd' } })
  for (const each of [lead(1), odd, lead(3)]) {
    assert.deepEqual(await store.keepLead(each), keptAs(each))
  }
  await replayed(store)
  assert.deepEqual(await idsIn(store), [1, 3])
  const { refused } = (await store.state(Date.now())).journal!
  assert.equal(statSync(refused!).mode & 0o777, 0o600)
  const { refused: reason } = JSON.parse(readFileSync(refused!, 'utf8')) as { refused: string }
  assert.match(reason, /^23514: /)
  assert.ok(
    reports.some(({ event, facts }) => event === 'journal.refused' && facts['lead'] === odd.id),
  )
  const told = await doctor()
  assert.equal(told.code, 1)
  assert.match(
    told.out,
    /failed +journal +PostgreSQL refused the leads in .*journal-refused\.ndjson; /,
  )

  await database.execute('alter table lead drop constraint odd')
  await store.close()
  appendFileSync(journalOf(dataDir), readFileSync(refused!))
  rmSync(refused!)
  assert.match((await doctor()).out, /warning +journal +1 lead on this node may still wait/)
  const again = await open(t, url, dataDir)
  await replayed(again)
  assert.deepEqual(await idsIn(again), [1, 2, 3])
  assert.match((await doctor()).out, /ok +journal +empty/)
})

test('a lead in the journal cannot be looked up; once it is in the database it can', async (t) => {
  const { store } = await openNode(t)
  await server.stop('fast')
  await store.keepLead(lead(1))
  const { id } = lead(1)
  await assert.rejects(store.findLead(id), { reason: 'journaled' })
  await server.start()
  await replayed(store)
  assert.equal((await store.findLead(id))!.id, id)
  assert.equal(await store.findLead(lead(2).id), undefined)
})

test('a fault of the program on the way to the database is logged, and costs no lead', async (t) => {
  const { store, reports } = await openNode(t)
  const agent = {
    toPostgres() {
      throw new TypeError('odd')
    },
  }
  const odd = lead(1, { agent: agent as unknown as string })
  assert.deepEqual(await store.keepLead(odd), keptAs(odd))
  assert.deepEqual(await store.keepLead(lead(2)), keptAs(lead(2)))
  const faults = reports.filter(({ event }) => event === 'database.fault')
  assert.deepEqual(
    faults.map(({ facts }) => facts['error']),
    ['TypeError'],
  )
  await replayed(store)
  assert.deepEqual(await idsIn(store), [2])
  const { refused } = (await store.state(Date.now())).journal!
  assert.match(
    readFileSync(refused!, 'utf8'),
    new RegExp(`"id":"${odd.id}".*"refused":"failed: odd"`),
  )
})

test('a second replay brings nobody back, neither the kept nor the erased', async (t) => {
  const { store, url, dataDir } = await openNode(t)
  await server.stop('fast')
  for (const index of [1, 2, 3]) await store.keepLead(lead(index))
  await store.close()
  const journal = readFileSync(journalOf(dataDir))
  await server.start()
  const once = await open(t, url, dataDir)
  await replayed(once)
  await once.eraseLead((await once.findLead(lead(2).id))!, { by: 'owner', at: Date.now() })
  await once.close()
  // As a kill leaves it after the last commit.
  writeFileSync(journalOf(dataDir), journal)
  const again = await open(t, url, dataDir)
  await replayed(again)
  assert.deepEqual(await idsIn(again), [1, 2, 3])
  assert.equal((await again.findLead(lead(2).id))!.state, 'erased')
})

test('a node with its secret starts without the server, and replays what it finds [nodes.start]', async (t) => {
  const { store, url, dataDir } = await openNode(t)
  await server.stop('fast')
  await store.keepLead(lead(1))
  await store.close()
  const again = await open(t, url, dataDir)
  await again.keepLead(lead(2))
  assert.equal((await again.state(Date.now())).journal?.leads, 2)
  await server.start()
  await replayed(again)
  assert.deepEqual(await idsIn(again), [1, 2])
})

test('a node that was never connected starts without the server, if it has a secret', async (t) => {
  const database = newPostgresDatabase(server.url)
  await database.execute('select 1')
  await server.stop('fast')
  const without = temporaryFolder(t)
  await assert.rejects(
    open(t, database.url, without),
    /This node takes its secret from there first/,
  )
  const dataDir = temporaryFolder(t)
  makeSecret(dataDir)
  const store = await open(t, database.url, dataDir)
  assert.deepEqual(await store.keepLead(lead(1)), keptAs(lead(1)))
  await server.start()
  await replayed(store)
  assert.deepEqual(await idsIn(store), [1])
  const other = await open(t, database.url, without)
  assert.deepEqual(await idsIn(other), [1])
})

test('a node starts though its server stops answering while it does', async (t) => {
  const { store, database, url, dataDir } = await openNode(t)
  await store.keepLead(lead(1))
  await store.close()
  const release = await database.hold('lock table installation in access exclusive mode')
  const again = await open(t, url, dataDir)
  assert.deepEqual(await again.keepLead(lead(2)), keptAs(lead(2)))
  await release()
  await replayed(again)
  assert.deepEqual(await idsIn(again), [1, 2])
})

test('while a newer program has migrated the database, the journal waits', async (t) => {
  const { store, database, reports, url } = await openNode(t)
  await database.execute(`insert into migration (name, hash, at) values ('9000-later.sql', '', 0)`)
  await server.stop('fast')
  await store.keepLead(lead(1))
  await server.start()
  const told = () => reports.filter(({ event }) => event === 'database.refused')
  await until(() => told().length === 1, 'the node has noticed')
  assert.match(String(told()[0]!.facts['note']), /written by a newer version/)
  await store.keepLead(lead(2))
  assert.deepEqual(await database.execute('select 1 from lead'), [])
  await assert.rejects(open(t, url, temporaryFolder(t)), /written by a newer version/)
  await database.execute(`delete from migration where name = '9000-later.sql'`)
  await replayed(store)
  assert.deepEqual(await idsIn(store), [1, 2])
})

test('a torn last line is dropped, and the next lead begins on a new line', async (t) => {
  const dataDir = temporaryFolder(t)
  await new Journal(dataDir).add(lead(1))
  appendFileSync(journalOf(dataDir), JSON.stringify(lead(2)).slice(0, -9))
  const torn = new Journal(dataDir)
  assert.equal(torn.state().leads, 1)
  await torn.probe()
  await torn.add(lead(3))
  assert.deepEqual(await replayedFrom(new Journal(dataDir)), [1, 3])
  assert.ok(!existsSync(journalOf(dataDir)))
})

test('many leads at once, and leads that come during a replay, are all there in their order', async (t) => {
  const dataDir = temporaryFolder(t)
  const journal = new Journal(dataDir)
  const add = (from: number, count: number) =>
    Promise.all(Array.from({ length: count }, (_, index) => journal.add(lead(from + index))))
  await Promise.all([add(0, 50), journal.probe(), add(50, 50)])
  assert.equal(new Journal(dataDir).state().leads, 100)
  let more: Promise<unknown> | undefined
  const seen = await replayedFrom(journal, () => {
    more ??= add(100, 20)
  })
  await more
  const rest = await replayedFrom(journal)
  assert.deepEqual(
    [...seen, ...rest],
    Array.from({ length: 120 }, (_, index) => index),
  )
})

test('a node that dies after the server left during a replay finds the rest on its disk [nodes.away]', async (t) => {
  const dataDir = temporaryFolder(t)
  const journal = new Journal(dataDir)
  for (const index of [1, 2, 3]) await journal.add(lead(index))
  const replay = journal.replay(async ({ id }) => {
    if (numberOf(id) === 2) throw new StorageUnavailable('away')
  })
  await assert.rejects(replay, { reason: 'away' })
  const afterRestart = await replayedFrom(new Journal(dataDir))
  // The first may come again: the store finds it by its id.
  assert.deepEqual(
    afterRestart.filter((index) => index > 1),
    [2, 3],
  )
})

test('a line that cannot be read stays in the file of the refused', async (t) => {
  const dataDir = temporaryFolder(t)
  await new Journal(dataDir).add(lead(1))
  appendFileSync(journalOf(dataDir), '\0\0{"id"\n')
  const journal = new Journal(dataDir)
  await journal.add(lead(2))
  assert.deepEqual(await replayedFrom(journal), [1, 2])
  assert.equal(readFileSync(journal.state().refused!, 'utf8'), '\0\0{"id"\n')
})

test('a lead that the disk does not take is not received', async (t) => {
  const dataDir = temporaryFolder(t)
  const journal = new Journal(join(dataDir, 'missing'))
  await assert.rejects(journal.add(lead(1)), { reason: 'input-output' })
  await assert.rejects(journal.probe(), { reason: 'input-output' })
  assert.equal(journal.find(lead(1)), undefined)
  assert.equal(journal.state().leads, 0)
})

async function replayedFrom(journal: Journal, each?: () => void): Promise<number[]> {
  const seen: number[] = []
  await journal.replay((found: NewLead) => {
    assert.deepEqual(found, lead(numberOf(found.id)))
    seen.push(numberOf(found.id))
    each?.()
    return Promise.resolve()
  })
  return seen
}

async function openNode(t: Cleaner) {
  const database = newPostgresDatabase(server.url)
  await database.execute('select 1')
  const dataDir = temporaryFolder(t)
  const reports: { event: string; facts: Parameters<Report>[1] }[] = []
  const report: Report = (event, facts) => void reports.push({ event, facts })
  const store = await open(t, database.url, dataDir, report)
  return { store, database, url: database.url, dataDir, reports }
}

async function open(
  t: Cleaner,
  url: string,
  dataDir: string,
  report: Report = () => {},
): Promise<Store> {
  const store = await openSharedStore({ url, dataDir, now: Date.now, report })
  let closing: Promise<void> | undefined
  const close = () => (closing ??= store.close())
  t.after(close)
  return { ...store, close }
}

function keptAs({ reference }: NewLead) {
  return { kind: 'kept', reference }
}

function journalOf(dataDir: string): string {
  return join(dataDir, 'journal.ndjson')
}

function numberOf(leadId: string): number {
  return Number(leadId.slice(-12))
}

/** By the number of the test's lead, oldest first. */
async function idsIn(store: Store): Promise<number[]> {
  const leads = await store.listLeads({ limit: 500 })
  return leads.map(({ id }) => numberOf(id)).toReversed()
}
