import assert from 'node:assert/strict'
import test, { after, before } from 'node:test'
import { StoreRefused } from '../../src/store/engine/engine.ts'
import { openSharedStore } from '../../src/store/spool/open-shared.ts'
import { prepareDatabase } from '../../src/store/engine/postgres-schema.ts'
import { readSecret } from '../../src/store/secret.ts'
import { openStore } from '../../src/store/store.ts'
import { readBlocks } from '../support/doc-blocks.ts'
import { drained } from '../support/drained.ts'
import { newLead, nowMs } from '../support/new-lead.ts'
import { newPostgresDatabase } from '../support/postgres-database.ts'
import { openPostgresServer } from '../support/postgres.ts'
import type { Postgres } from '../support/postgres.ts'
import { temporaryFolder } from '../support/service.ts'

let server: Postgres
before(async () => {
  server = await openPostgresServer()
})
after(() => server.close())

test('a database that cannot be used is refused at the start, in a sentence that says what to do', async (t) => {
  const admin = newPostgresDatabase(server.url)
  await admin.execute('create role guest login')
  const withUser = (user: string) => server.url.replace('owner@', `${user}:hunter2@`)
  const cases: [url: string, sentence: RegExp][] = [
    [withUser('nobody'), /does not let the user nobody in \(28000\)\. Check user and password/],
    [withUser('guest'), /The user guest may not make .* grant create, usage on schema public/],
    [server.url.replace('/postgres?', '/sheds?'), /has no database sheds\. Create it/],
    ['postgres://owner@127.0.0.1:9/leads', /127\.0\.0\.1:9 cannot be reached \(ECONNREFUSED\)/],
    ['postgres://owner@nowhere.invalid/leads', /nowhere\.invalid:5432 cannot be reached/],
  ]
  for (const [url, sentence] of cases) {
    const opening = openSharedStore({
      url,
      dataDir: temporaryFolder(t),
      now: Date.now,
      report: () => {},
    })
    const error = await opening.then(
      () => assert.fail(`${url} was taken`),
      (reason: unknown) => reason as Error,
    )
    assert.ok(error instanceof StoreRefused, String(error))
    assert.match(error.message, sentence)
    assert.doesNotMatch(error.message, /hunter2/)
  }
})

test('the database that docs/growing.md makes is one that the service starts on', async (t) => {
  const admin = newPostgresDatabase(server.url)
  const block = readBlocks('docs/growing.md').find(({ kind }) => kind === 'sql')
  // A database is not made in a transaction, as several statements at once would be.
  for (const statement of block!.text.split(';\n').filter(Boolean)) await admin.execute(statement)
  const url = server.url.replace('owner@', 'leads:x@').replace('/postgres?', '/leads?')
  const store = await openSharedStore({
    url,
    dataDir: temporaryFolder(t),
    now: Date.now,
    report: () => {},
  })
  await store.close()
})

test('a server before version 15 is refused', async () => {
  const old = {
    ask: () => Promise.resolve({ rows: [{ server_version: '14.22' }], count: 1 }),
    commit: () => Promise.reject(new Error('nothing may be written')),
    transact: () => Promise.reject(new Error('nothing may be written')),
    maintain: () => Promise.reject(new Error('nothing may be written')),
    snapshot: () => Promise.reject(new Error('nothing may be read')),
    close: () => Promise.resolve(),
  }
  await assert.rejects(
    prepareDatabase(old, { nowMs }),
    /The server is PostgreSQL 14\.22; this program needs 15 or later/,
  )
})

test('of several nodes that start at once on an empty database, one migrates', async () => {
  const database = newPostgresDatabase(server.url)
  await database.execute('select 1')
  const stores = Array.from({ length: 6 }, () => openStore(database.open(nowMs)))
  await Promise.all(stores.map((store, index) => store.keepLead(newLead(index))))
  const numbers = await database.execute('select number from migration order by number')
  assert.equal((await stores[0]!.listLeads({ limit: 9 })).length, 6)
  assert.deepEqual(
    numbers.map(({ number }) => Number(number)),
    numbers.map((_, index) => index + 1),
  )
  await Promise.all(stores.map((store) => store.close()))
})

test('nodes share one secret, and a stranger to it is told to join', async (t) => {
  const database = newPostgresDatabase(server.url)
  await database.execute('select 1')
  const open = (dataDir: string) =>
    openSharedStore({ url: database.url, dataDir, now: Date.now, report: () => {} })
  const folders = [temporaryFolder(t), temporaryFolder(t), temporaryFolder(t)]
  const [first, second, third] = folders as [string, string, string]
  const stores = [await open(first), await open(second)]
  assert.deepEqual(readSecret(second), readSecret(first))
  readSecret(third)
  await assert.rejects(open(third), /is not that of the database.*delete that file and start again/)
  await Promise.all(stores.map((store) => store.close()))
})

test('ends of connections, one by one or all at once, end no process and lose nothing', async (t) => {
  const database = newPostgresDatabase(server.url)
  await database.execute('select 1')
  const store = await openSharedStore({
    url: database.url,
    dataDir: temporaryFolder(t),
    now: Date.now,
    report: () => {},
  })
  t.after(() => store.close())
  const keeping = []
  for (let index = 0; index < 300; index += 1) {
    keeping.push(store.keepLead(newLead(index)))
    if (index % 60 === 30) {
      await database.execute(
        `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'lead-intake'`,
      )
    }
  }
  const kept = await Promise.all(keeping)
  assert.ok(kept.every(({ kind }) => kind === 'kept'))
  await drained(store)
  assert.equal(Number((await database.execute('select count(*) as n from lead'))[0]!['n']), 300)
})
