import assert from 'node:assert/strict'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { connect, createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import test, { after, before } from 'node:test'
import { nobody } from '../../src/contract/notices.ts'
import { StoreRefused } from '../../src/store/engine/engine.ts'
import { lastNumber, newestMigration } from '../../src/store/engine/migrations.ts'
import { PostgresEngine } from '../../src/store/postgres/postgres-engine.ts'
import { prepareDatabase } from '../../src/store/postgres/schema.ts'
import { openSharedStore } from '../../src/store/postgres/shared-store.ts'
import { makeSecret, readSecret } from '../../src/store/secret.ts'
import { Store } from '../../src/store/store.ts'
import { eraseLead, moveLead } from '../support/life.ts'
import { readBlocks } from '../support/doc-checks.ts'
import { newLead, nowMs, robin } from '../support/leads.ts'
import { leadIntake } from '../support/operator.ts'
import { newPostgresDatabase } from '../support/engines.ts'
import { openPostgresServer, whenReached, type Postgres } from '../support/postgres.ts'
import { startServiceHere } from '../support/service-here.ts'
import { postLead, temporaryFolder, type Cleaner } from '../support/service.ts'
import { until } from '../support/until.ts'

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
    const error = await openNode(url, temporaryFolder(t)).then(
      () => assert.fail(`${url} was taken`),
      (reason: unknown) => reason as Error,
    )
    assert.ok(error instanceof StoreRefused, String(error))
    assert.match(error.message, sentence)
    assert.doesNotMatch(error.message, /hunter2/)
  }
})

test('the database that docs/operating.md makes is one that the service starts on', async (t) => {
  const admin = newPostgresDatabase(server.url)
  const block = readBlocks('docs/operating.md').find(({ kind }) => kind === 'sql')
  // A database is not made in a transaction, as several statements at once would be.
  for (const statement of block!.text.split(';\n').filter(Boolean)) await admin.execute(statement)
  const url = server.url.replace('owner@', 'leads:x@').replace('/postgres?', '/leads?')
  await (await openNode(url, temporaryFolder(t))).close()
})

test('an erasure that meets another node filling the lead leaves no word [erase.shown]', async (t) => {
  const database = newPostgresDatabase(server.url)
  const [filler, eraser] = [new Store(database.open(), nobody), new Store(database.open(), nobody)]
  t.after(() => Promise.all([filler.close(), eraser.close()]))
  const lead = newLead(1)
  await filler.leads.keep(lead)
  const areWaiting = (count: number) => async () =>
    (await database.execute('select 1 from pg_locks where not granted')).length === count
  // The fill waits for this row, and has its lock on the lead already.
  const letGo = await database.hold(
    `insert into search_doc (lead_id, words) values ('${lead.id}', '')`,
  )
  const filling = filler.search.fillNext()
  await until(areWaiting(1), 'the fill waits')
  const read = (await eraser.leads.find(lead.id))!
  const erasing = eraseLead(eraser, read, { by: 'owner', at: nowMs })
  await until(areWaiting(2), 'the erasure waits for the fill')
  await letGo()
  assert.equal(await filling, 1)
  assert.equal((await erasing)?.state, 'erased')
  assert.deepEqual(await database.execute('select * from search_doc'), [])
})

test('a node without its secret takes it from the database; where that has lost it too, leads are refused', async (t) => {
  const database = newPostgresDatabase(server.url)
  await database.execute('select 1')
  const place = { dataDir: temporaryFolder(t), env: { DATABASE_URL: database.url } }
  const { url } = database
  const open = () => whenReached(() => openNode(url, place.dataDir))
  const first = await open()
  await first.leads.keep(newLead(1))
  await first.close()
  const secret = readSecret(place.dataDir)
  const path = join(place.dataDir, 'secret')
  rmSync(path)
  await (await open()).close()
  assert.deepEqual(readSecret(place.dataDir), secret)
  rmSync(path)
  await database.execute(`delete from installation where name = 'secret'`)
  const lost = /The secret .*secret is missing, .* 1 lead\. /
  await assert.rejects(
    open().then((store) => store.close()),
    lost,
  )
  const told = await leadIntake(place, ['doctor'])
  assert.equal(told.code, 1)
  assert.match(told.out, new RegExp(`failed +database +${lost.source}`))
})

test('a command that looks while a service makes the schema is not refused', async () => {
  const database = newPostgresDatabase(server.url)
  await database.execute('select 1')
  const [command, service] = [
    new PostgresEngine(database.url, 'empty'),
    new PostgresEngine(database.url),
  ]
  let reads = 0
  const isMigrated = await prepareDatabase(
    {
      dialect: 'postgres',
      run: (...args) => command.run(...args),
      forgetDeleted() {},
      close: () => command.close(),
      async read(sql, values) {
        const rows = await command.read(sql, values)
        // The first read asks for the version of the server, the second for the schema.
        if ((reads += 1) === 2) await service.prepare()
        return rows
      },
    },
    'empty',
  )
  assert.equal(isMigrated, false)
  const done = await database.execute('select name from migration order by name')
  assert.equal(lastNumber(done as { name: string }[]), newestMigration())
  await Promise.all([command.close(), service.close()])
})

test('nodes share one secret, and a stranger to it is told to join', async (t) => {
  const database = newPostgresDatabase(server.url)
  await database.execute('select 1')
  const open = (dataDir: string) => openNode(database.url, dataDir)
  const folders = [temporaryFolder(t), temporaryFolder(t), temporaryFolder(t)]
  const [first, second, third] = folders as [string, string, string]
  const stores = [await open(first), await open(second)]
  assert.deepEqual(readSecret(second), readSecret(first))
  makeSecret(third)
  await assert.rejects(open(third), /is not that of the database.*delete that file and start again/)
  await Promise.all(stores.map((store) => store.close()))
})

test('a lead is synced before it is acknowledged, whatever synchronous_commit says, and doctor names fsync = off', async (t) => {
  const durable = await openPostgresServer({ durable: true })
  t.after(() => durable.close())
  const { url, execute, open } = newPostgresDatabase(durable.url)
  await execute('select 1')
  const place = { dataDir: temporaryFolder(t), env: { DATABASE_URL: url } }
  const schema = open()
  await schema.read('select 1')
  await schema.close()
  const setting = async (words: string) => {
    await execute(`alter system set ${words}`)
    await execute('select pg_reload_conf()')
  }
  // Nothing else syncs what a commit has left behind.
  await setting(`wal_writer_delay = '10s'`)
  await setting('synchronous_commit = off')
  const acts: ((store: Store) => Promise<unknown>)[] = [
    (store) => store.leads.keep(newLead(1)),
    async (store) => {
      const lead = (await store.leads.findMany([newLead(1).id]))[0]!
      return moveLead(store, lead, { to: 'contacted', by: 'owner', at: nowMs })
    },
  ]
  const seen = () => execute('select state from lead')
  for (const [index, act] of acts.entries()) {
    await durable.stop('fast')
    await durable.start()
    const store = new Store(open(), nobody)
    await act(store)
    await durable.stop('kill')
    await store.close().catch(() => {})
    await durable.start()
    assert.deepEqual(await seen(), [{ state: ['new', 'contacted'][index] }])
  }

  // Seen at the commit. A stronger level stays.
  await execute(`
    create table level (name text);
    create function note() returns trigger language plpgsql as
      $$ begin insert into level values (current_setting('synchronous_commit')); return null; end $$;
    create constraint trigger note after insert on lead deferrable initially deferred
      for each row execute function note()`)
  const levels = ['off', 'local', 'remote_write', 'on', 'remote_apply']
  for (const [index, level] of levels.entries()) {
    await execute(`alter role owner set synchronous_commit = ${level}`)
    const store = new Store(open(), nobody)
    await store.leads.keep(newLead(index + 2))
    await store.close()
  }
  const noted = (await execute('select name from level')).map(({ name }) => name)
  assert.deepEqual(noted, ['on', 'on', 'on', 'on', 'remote_apply'])

  makeSecret(place.dataDir)
  assert.doesNotMatch((await leadIntake(place, ['doctor'])).out, /fsync/)
  await setting('fsync = off')
  assert.match((await leadIntake(place, ['doctor'])).out, /warning +database .*fsync = off/)
})

test('doctor says what PostgreSQL lacks, and the cure', async (t) => {
  const database = newPostgresDatabase(server.url)
  await database.execute('create role busy login connection limit 0')
  await database.open().read('select 1')
  const place = { dataDir: temporaryFolder(t) }
  makeSecret(place.dataDir)
  const pooler = await openPooler(t, server, ['user'])
  const readOnly = database.url.replace('-c%20', '-c%20default_transaction_read_only%3Don%20-c%20')
  const cases: [url: string, words: RegExp][] = [
    [database.url.replace('owner@', 'busy@'), /no connection free .* raise max_connections/],
    [readOnly, /read-only: .* Name the primary in DATABASE_URL/],
    [pooler, /pooler .*unsupported startup parameter: database .*08P01/],
  ]
  for (const [DATABASE_URL, words] of cases) {
    const told = await leadIntake({ ...place, env: { DATABASE_URL } }, ['doctor'])
    assert.equal(told.code, 1)
    const line = told.out.split('\n').find((each) => /^failed +database/.test(each))
    assert.match(line ?? '', words)
    assert.doesNotMatch(line!, /cannot be reached|doctor/)
  }
  // A node of its own, which has no secret yet.
  const first = openNode(readOnly, temporaryFolder(t))
  await assert.rejects(first, /read-only: .* Name the primary .* takes its secret from there/)
})

test('while the disk of PostgreSQL is full, doctor says what the running service has met', async (t) => {
  const database = newPostgresDatabase(server.url)
  await database.execute('select 1')
  const place = { dataDir: temporaryFolder(t), env: { DATABASE_URL: database.url } }
  const service = await startServiceHere(t, place)
  const env = { PORT: String(service.port) }
  const lineOf = async () => {
    const { out } = await leadIntake(place, ['doctor'], env)
    return out.split('\n').find((line) => / database /.test(line))
  }
  assert.match((await lineOf())!, /^ok +database +the server answers/)
  // The server has room for a test commit, but not for a table that grows.
  await database.execute(`
    create function fill() returns trigger language plpgsql as
      $$ begin raise exception using errcode = '53100'; end $$;
    create trigger fill before insert on lead for each row execute function fill()`)
  assert.equal((await postLead(service.url, robin)).status, 200)
  // The service tries the lead once more, and until that fails it believes that all is well.
  await until(async () => (await lineOf())!.startsWith('failed'), 'doctor names a fault')
  assert.match((await lineOf())!, /^failed +database +The disk of PostgreSQL .* is full.*Make room/)
})

test('a command gives PostgreSQL up after seconds, and says that it does not answer', async (t) => {
  const place = { dataDir: temporaryFolder(t), env: { DATABASE_URL: server.url } }
  t.after(() => server.thaw())
  server.freeze()
  const told = await leadIntake(place, ['leads', 'list'])
  assert.equal(told.code, 5)
  assert.match(told.error, /does not answer within 5 s/)
})

test('a pooler that refuses settings at the connection is used, and the deadlines of the server hold', async (t) => {
  const allowed = ['user', 'database', 'client_encoding', 'application_name', 'options']
  const database = newPostgresDatabase(server.url)
  await database.execute('select 1')
  const pooler = await openPooler(t, server, allowed)
  const options = new URL(database.url).searchParams.get('options')!
  const url = `${pooler}&options=${encodeURIComponent(options)}`
  const store = await openNode(url, temporaryFolder(t))
  assert.equal((await store.leads.keep(newLead(1))).kind, 'kept')
  await store.close()
  const engine = new PostgresEngine(url)
  const shown = `select current_setting('statement_timeout') as statement,
    current_setting('idle_in_transaction_session_timeout') as idle`
  const wanted = [{ statement: '5s', idle: '5s' }]
  assert.deepEqual(await engine.read(shown), wanted)
  // A pooler may give each transaction a connection for which nothing was set.
  await engine.read('reset all')
  assert.deepEqual(await engine.run([[shown, []]]), [wanted])
  await engine.close()
})

/** Lets in what names only these settings at the connection, as pgbouncer does. Returns its address. */
async function openPooler(t: Cleaner, { url }: Postgres, allowed: string[]): Promise<string> {
  const folder = new URL(url).searchParams.get('host')!
  const pooler = createServer((client) => {
    client.on('error', () => {})
    client.once('data', (packet) => {
      const words = packet.toString('utf8', 8).split('\0')
      const refused = words.find(
        (word, index) => index % 2 === 0 && word && !allowed.includes(word),
      )
      if (refused !== undefined)
        return client.end(refusal(`unsupported startup parameter: ${refused}`))
      const behind = connect(join(folder, '.s.PGSQL.5432')).on('error', () => client.destroy())
      behind.write(packet)
      client.pipe(behind).pipe(client)
    })
  })
  await once(pooler.listen(0, '127.0.0.1'), 'listening')
  t.after(() => pooler.close())
  return `postgres://owner@127.0.0.1:${(pooler.address() as AddressInfo).port}/postgres?a=b`
}

/** An ErrorResponse: its type, its length, then severity, code and message. */
function refusal(message: string): Buffer {
  const fields = Buffer.from(`SFATAL\0VFATAL\0C08P01\0M${message}\0\0`)
  const head = Buffer.from('E\0\0\0\0')
  head.writeUInt32BE(fields.length + 4, 1)
  return Buffer.concat([head, fields])
}

function openNode(url: string, dataDir: string): Promise<Store> {
  return openSharedStore({ url, dataDir, log: { warn() {}, info() {} }, recipients: nobody })
}
