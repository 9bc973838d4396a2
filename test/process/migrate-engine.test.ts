import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import test, { after, before } from 'node:test'
import { nobody } from '../../src/contract/notices.ts'
import { Sessions } from '../../src/access/sessions.ts'
import { searchLeads } from '../../src/desk/search.ts'
import { PostgresEngine } from '../../src/store/postgres/postgres-engine.ts'
import { openSqlite } from '../../src/store/engine/sqlite.ts'
import { makeSecret } from '../../src/store/secret.ts'
import { Store } from '../../src/store/store.ts'
import { addNote, loseLead, markAsSpam, moveLead, writeEverything } from '../support/life.ts'
import { newLead, nowMs } from '../support/leads.ts'
import { leadIntake } from '../support/operator.ts'
import { newPostgresDatabase, type TestDatabase } from '../support/engines.ts'
import { openPostgresServer, type Postgres } from '../support/postgres.ts'
import { NODE_COMPILE_CACHE, temporaryFolder } from '../support/service.ts'
import { startServiceHere } from '../support/service-here.ts'
import { patienceMs, until } from '../support/until.ts'

/** A page of a copy has 500 leads, so the copy can be killed between its pages. */
const leads = Number(process.env['STORY_MOVE_LEADS'] ?? 1_000)

let server: Postgres
before(async () => {
  server = await openPostgresServer()
})
after(() => server.close())

test('a copy that was killed in its middle is not served, and there and back everything is the same [nodes.move]', async (t) => {
  const dataDir = temporaryFolder(t)
  const [first, last] = ['first', 'last'].map((name) => `sqlite:${join(dataDir, name)}`)
  await fill(join(dataDir, 'first'))
  makeSecret(dataDir)
  const database = await newDatabase()

  const killedAt = await killInTheMiddle(dataDir, first!, database)
  const starting = startServiceHere(t, { dataDir, env: { DATABASE_URL: database.url } })
  await assert.rejects(starting, /a copy that was not finished/)

  const copy = (from: string, to: string) =>
    leadIntake({ dataDir }, ['migrate-engine', '--from', from, '--to', to])
  const onto = await copy(first!, database.url)
  assert.match(onto.error, /not empty \(lead has rows\).*Name an empty one/)
  const help = await leadIntake({ dataDir }, ['migrate-engine', '--help'])
  assert.match(help.out, /an empty database; after an interrupted copy, a new one/)
  const empty = await newDatabase()
  const there = await copy(first!, empty.url)
  assert.equal(there.code, 0, there.error)
  const back = await copy(empty.url, last!)
  assert.equal(back.code, 0, back.error)
  const exports = []
  for (const DATABASE_URL of [first!, empty.url, last!]) {
    exports.push((await leadIntake({ dataDir, env: { DATABASE_URL } }, ['leads', 'export'])).out)
  }
  const equal = new Set(exports).size === 1
  t.diagnostic(JSON.stringify({ story: 'migrate-engine', leads, killedAt, equal }))
  assert.equal(exports[0]!.split('\n').length - 1, leads)
  assert.ok(equal, 'the exports differ')
  assert.match(back.out, /^note: 4 rows copied[^]*search_doc: [1-9]/m)
  for (const table of ['blocked', 'detail_before', 'visit_before', 'visit_email']) {
    assert.match(back.out, new RegExp(`^${table}: 1 row copied$`, 'm'))
  }
  assert.match(
    back.out,
    new RegExp(
      `^lead: 1000 rows so far$[^]*^lead: ${leads} rows copied$[^]*^lead: compared$[^]*^Every row was copied and compared\\.$`,
      'm',
    ),
  )
  const arrived = new Store(openSqlite({ path: join(dataDir, 'last') }), nobody)
  t.after(() => arrived.close())
  const moved = new Store(new PostgresEngine(empty.url, 'none'), nobody)
  t.after(() => moved.close())
  for (const store of [moved, arrived]) {
    const { leads: found } = await searchLeads(store, `person ${leads - 1}`)
    assert.deepEqual(
      found.map(({ values }) => values.name),
      [`Person ${leads - 1}`],
    )
    assert.equal((await store.views.ofPerson(['e499'], { limit: leads })).length, leads / 500)
  }
  const { askedAt, street, values } = (await arrived.leads.find(newLead(9).id))!
  assert.deepEqual([askedAt, street, values.name], [nowMs, '1 Quux Lane', 'Quux Corrected'])
  assert.equal((await arrived.leads.find(newLead(10).id))!.lostWhy, 'budget')
  assert.deepEqual(await arrived.blocked.list(9), [{ leadId: newLead(11).id, at: nowMs }])
  const access = arrived.access
  assert.deepEqual(await access.listMembers(), [{ ...robin, mailed: 1, feed: 0, feedNames: 0 }])
  assert.deepEqual(await access.listPasskeys(robin.id), [passkey])
  assert.equal(await access.countSessions(robin.id, nowMs), 0, 'everybody signs in anew')
})

test('a source without its secret and a target that holds leads of its own are refused', async (t) => {
  const dataDir = temporaryFolder(t)
  const path = join(dataDir, 'leads.sqlite')
  const source = new Store(openSqlite({ path, commitTimeoutMs: patienceMs }), nobody)
  await source.leads.keep(newLead(1))
  await source.close()
  const database = await newDatabase()
  const target = new Store(database.open(), nobody)
  await target.leads.keep(newLead(2))
  await target.close()
  const args = ['migrate-engine', '--from', `sqlite:${path}`, '--to', database.url]
  const without = await leadIntake({ dataDir }, args)
  assert.equal(without.code, 5)
  assert.match(without.error, /There is no secret in .*\. Use the DATA_DIR of the service\./)
  makeSecret(dataDir)
  const refused = await leadIntake({ dataDir }, args)
  assert.equal(refused.code, 5)
  assert.match(refused.error, /is not empty \(lead has rows\).*Name an empty one/)
  assert.equal((await database.execute('select id from lead')).length, 1)
})

test('while a service runs on the source nothing is copied, and after its end every lead is [nodes.move]', async (t) => {
  const dataDir = temporaryFolder(t)
  const file = `sqlite:${join(dataDir, 'leads.sqlite')}`
  const database = await newDatabase()
  const copy = (from: string, to: string) =>
    leadIntake({ dataDir }, ['migrate-engine', '--from', from, '--to', to])
  const onFile = await startServiceHere(t, { dataDir })
  const refused = await copy(file, database.url)
  assert.equal(refused.code, 5, refused.out)
  assert.match(refused.error, /leads\.sqlite is in use by a running service\. Stop that one first/)
  assert.equal((await fetch(`${onFile.url}/api/lead`, sending)).status, 200)
  await onFile.stop()
  const there = await copy(file, database.url)
  assert.match(there.out, /^lead: 1 row copied$/m, there.error)

  const onServer = await startServiceHere(t, { dataDir, env: { DATABASE_URL: database.url } })
  const back = await copy(database.url, `sqlite:${join(dataDir, 'back.sqlite')}`)
  assert.equal(back.code, 5, back.out)
  assert.match(back.error, /journal\.ndjson is in use by a running service/)
  await onServer.stop()
})

test('while a node on another machine runs on PostgreSQL nothing is copied back [nodes.move]', async (t) => {
  const database = await newDatabase()
  const [here, elsewhere] = [temporaryFolder(t), temporaryFolder(t)]
  const env = { DATABASE_URL: database.url }
  const node = await startServiceHere(t, { dataDir: elsewhere, env })
  const file = join(here, 'back.sqlite')
  const copyBack = () =>
    leadIntake({ dataDir: here }, [
      'migrate-engine',
      '--from',
      database.url,
      '--to',
      `sqlite:${file}`,
    ])
  const refused = await copyBack()
  assert.equal(refused.code, 5, refused.out)
  assert.match(refused.error, /^A running service uses the database .*on every node first\.$/m)
  assert.ok(!existsSync(file))
  assert.equal((await fetch(`${node.url}/api/lead`, sending)).status, 200)
  await node.stop()
  const copied = await copyBack()
  assert.match(copied.out, /^lead: 1 row copied$/m, copied.error)
})

const sending = {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ name_1: 'Robin Example', email_1: 'robin@example.com' }),
}

const robin = { id: 'robin', name: 'Robin', email: 'robin@example.com', madeAt: nowMs }
const passkey = {
  id: 'key',
  memberId: robin.id,
  rpId: 'decks.example.com',
  publicKey: 'AQ',
  counter: 3,
  backedUp: 1,
  name: 'Phone',
  madeAt: nowMs,
  usedAt: undefined,
}

async function fill(path: string): Promise<void> {
  const store = new Store(openSqlite({ path, commitTimeoutMs: patienceMs }), nobody)
  for (let from = 0; from < leads; from += 500) {
    const count = Math.min(500, leads - from)
    await Promise.all(
      Array.from({ length: count }, (_, index) =>
        store.leads.keep(
          newLead(from + index, {
            personKeys: [`e${index}`],
            deliverTo: index % 3 === 0 ? ['mail'] : [],
          }),
        ),
      ),
    )
  }
  // Some leads are copied with their text and the keys of their person, the others without.
  await store.search.fillNext()
  const moved = await store.leads.find(newLead(7).id)
  await moveLead(store, moved!, { to: 'contacted', by: 'owner', at: nowMs * 2 })
  const noted = await store.leads.find(newLead(8).id)
  await addNote(store, noted!, { at: nowMs, memberId: 'member-1', words: 'Rings back.' })
  await writeEverything(store, newLead(9).id, nowMs)
  await loseLead(store, newLead(10).id, nowMs)
  await markAsSpam(store, newLead(11).id, nowMs)
  const access = store.access
  await access.addMember(robin)
  await access.addPasskey(passkey)
  await new Sessions(access, () => nowMs).begin(robin)
  await store.close()
}

async function killInTheMiddle(dataDir: string, from: string, database: StallingDatabase) {
  const letGo = await database.stallAt(newLead(Math.floor(leads / 2)).id)
  const args = ['bin/lead-intake.js', 'migrate-engine', '--from', from, '--to', database.url]
  const env = { PATH: process.env['PATH'], DATA_DIR: dataDir, NODE_COMPILE_CACHE }
  const copying = spawn(process.execPath, args, { env, stdio: 'ignore' })
  const exited = once(copying, 'exit')
  const copied = async () =>
    Number((await database.execute('select count(*) as n from lead'))[0]!['n'])
  await until(async () => (await copied()) >= leads / 4, 'a part of the leads was copied')
  copying.kill('SIGKILL')
  await exited
  await letGo()
  return copied()
}

type StallingDatabase = TestDatabase & {
  /** Whoever inserts this lead waits until it is let go. */
  stallAt(leadId: string): Promise<() => Promise<void>>
}

async function newDatabase(): Promise<StallingDatabase> {
  const database = newPostgresDatabase(server.url)
  await database.execute('select 1')
  return {
    ...database,
    async stallAt(leadId) {
      const engine = database.open()
      await engine.read('select 1')
      await engine.close()
      const wait = `perform pg_advisory_xact_lock(1); return new;`
      await database.execute(`
        create function stall() returns trigger language plpgsql as 'begin ${wait} end';
        create trigger stall before insert on lead for each row when (new.id = '${leadId}') execute function stall()`)
      const release = await database.hold('select pg_advisory_xact_lock(1)')
      return async () => {
        await release()
        await database.execute('drop trigger stall on lead; drop function stall')
      }
    },
  }
}
