import assert from 'node:assert/strict'
import { once } from 'node:events'
import { appendFileSync, existsSync, readFileSync, rmSync, statSync } from 'node:fs'
import { connect, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import test, { after, before } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { nobody } from '../../src/contract/notices.ts'
import { errors } from '../../src/contract/errors.ts'
import type { ReportEvent } from '../../src/log.ts'
import { Notifier } from '../../src/delivery/notifier.ts'
import { searchLeads } from '../../src/desk/search.ts'
import { joinLeads } from '../../src/lead/act.ts'
import { StorageUnavailable } from '../../src/store/engine/engine.ts'
import { Journal } from '../../src/store/postgres/journal.ts'
import type { NewLead } from '../../src/store/leads/rows.ts'
import { openSharedStore } from '../../src/store/postgres/shared-store.ts'
import type { Store } from '../../src/store/store.ts'
import { dayMs, hourMs } from '../../src/time.ts'
import { openTestApp } from '../support/app.ts'
import { exampleSite, listeningLog, secret, settingsOf } from '../support/delivery.ts'
import { filesWith } from '../support/files-with.ts'
import { newLead as lead, robin } from '../support/leads.ts'
import { leadIntake } from '../support/operator.ts'
import { newPostgresDatabase, replayed } from '../support/engines.ts'
import { openPostgresServer, type Postgres } from '../support/postgres.ts'
import { temporaryFolder, type Cleaner } from '../support/service.ts'
import { openMailSink } from '../support/smtp.ts'
import { until } from '../support/until.ts'

let server: Postgres
before(async () => {
  server = await openPostgresServer()
})
after(() => server.close())

test('leads are received while the server is down, and are in the database in order when it is back [nodes.away]', async (t) => {
  const { store, dataDir } = await openNode(t)
  await store.leads.keep(lead(1))
  await server.stop('immediate')
  const kept = [await store.leads.keep(lead(2))]
  kept.push(...(await Promise.all([3, 4].map((index) => store.leads.keep(lead(index))))))
  const late = lead(5, { receivedAt: Date.now() - hourMs })
  kept.push(await store.leads.keep(late))
  assert.ok(kept.every(({ kind }) => kind === 'kept'))
  await store.probe(Date.now())
  const { away, journal } = await store.state(Date.now())
  assert.equal(typeof away, 'string')
  assert.deepEqual(journal, { leads: 4, oldestAt: lead(2).receivedAt, refused: undefined })
  assert.deepEqual(new Journal(dataDir).state(), journal)
  assert.equal(statSync(journalOf(dataDir)).mode & 0o777, 0o600)

  await server.start()
  await replayed(store)
  assert.deepEqual(await idsIn(store), [1, 2, 3, 4, 5])
  const { leads } = await searchLeads(store, 'person')
  assert.equal(leads.length, 5, 'they can be searched')
  const [[first] = []] = await store.leads.eventsOf([(await store.leads.find(late.id))!])
  assert.ok(first!.at >= late.receivedAt + hourMs, 'the morning email goes by when it was kept')
})

test('a request that waits in the journal is joined once it is in the database [nodes.away, next.one]', async (t) => {
  const { store } = await openNode(t)
  const [waits, first, along] = [1, 2, 3].map((index) => lead(index).id) as [string, string, string]
  const act = { by: 'robin', at: Date.now() }
  const joinFirst = () => joinLeads(store, { ...act, leadId: first }, waits)
  await store.leads.keep(lead(2))
  await store.leads.keep(lead(3))
  await joinLeads(store, { ...act, leadId: along }, first)
  await server.stop('fast')
  await store.leads.keep(lead(1))
  await assert.rejects(joinFirst, StorageUnavailable)
  await server.start()
  await replayed(store)
  // It came first, so it stands for the others.
  assert.equal((await joinFirst()).kind, 'done')
  const all = await store.leads.findMany([waits, first, along])
  assert.deepEqual(
    all.map(({ joinedTo }) => joinedTo),
    ['', waits, waits],
  )
})

test('a replayed lead leaves no word on the node, and its email goes out', async (t) => {
  const { store, dataDir } = await openNode(t)
  const mail = await openMailSink(t)
  const delivery = new Notifier({
    settings: settingsOf({ SMTP_URL: mail.url, OWNER_EMAIL: 'owner@example.com' }),
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
  await store.leads.keep(lead(1, { values, deliverTo: ['mail'] }))
  assert.notDeepEqual(filesWith(dataDir, /Sparrow/), [])
  await server.start()
  await replayed(store)
  await until(() => mail.emails.length === 1, 'the email has arrived')
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
  const twice = await Promise.all([store.leads.keep(keyed(1)), store.leads.keep(keyed(2))])
  assert.deepEqual(twice, [{ kind: 'kept', reference }, repeated])
  assert.deepEqual(await store.leads.keep(keyed(3, 'other')), { kind: 'key-reused' })
  assert.deepEqual(await store.leads.keep({ ...keyed(4), dedup: { by: 'content' } }), repeated)
  await server.start()
  assert.deepEqual(await store.leads.keep(keyed(5)), repeated)
  await replayed(store)
  assert.deepEqual(await store.leads.keep(keyed(6)), repeated)
  assert.deepEqual(await idsIn(store), [1])
})

test('a lead whose key another node took for other content meanwhile is kept beside it [nodes.once]', async (t) => {
  const { store, url } = await openNode(t)
  const line = await openLine(t, url)
  const far = await open(t, line.url, temporaryFolder(t))
  const keyed = (index: number) => lead(index, { dedup: { by: 'key', value: 'k' } })
  line.cut()
  assert.deepEqual(await far.leads.keep(keyed(1)), keptAs(lead(1)))
  assert.deepEqual(await store.leads.keep(keyed(2)), keptAs(lead(2)))
  line.mend()
  await replayed(far)
  assert.deepEqual(await idsIn(store), [1, 2])
})

test('a receipt is asked for at a node while another still has the lead in its journal: come back [nodes.away]', async (t) => {
  const { store, url } = await openNode(t)
  const line = await openLine(t, url)
  const far = await open(t, line.url, temporaryFolder(t))
  const sentTo = openTestApp(t, { store: far })
  const asked = openTestApp(t, { store })
  line.cut()
  const { status_url } = (await sentTo.postJson(robin)).json as { status_url: string }
  const { pathname } = new URL(status_url)
  const { LOOKUP_UNAVAILABLE, NOT_FOUND } = errors
  const answers = async () => {
    const shown = await asked.ask('GET', pathname)
    const withdrawn = await asked.ask('POST', `${pathname}/withdraw`)
    const erased = await asked.ask('POST', `${pathname}/erase`)
    return [shown, withdrawn, erased].map(({ status }) => status)
  }
  const told = await asked.ask('GET', pathname)
  assert.deepEqual(
    [
      told.status,
      told.headers['retry-after'],
      (told.json as { error: { code: string } }).error.code,
    ],
    [LOOKUP_UNAVAILABLE.status, '5', 'LOOKUP_UNAVAILABLE'],
  )
  assert.deepEqual(await answers(), Array(3).fill(LOOKUP_UNAVAILABLE.status))
  const page = await asked.ask('GET', pathname, { headers: { accept: 'text/html' } })
  assert.match(page.text, /What I received is safe/)
  const madeUp = await asked.ask(
    'GET',
    pathname.replace(/.$/, (last) => (last === '0' ? '1' : '0')),
  )
  assert.equal(madeUp.status, NOT_FOUND.status)

  asked.clock.now += dayMs
  assert.deepEqual(await answers(), Array(3).fill(NOT_FOUND.status), 'no journal waits for a day')
  asked.clock.now -= dayMs
  line.mend()
  await replayed(far)
  assert.deepEqual(await answers(), [200, 200, 200])
})

test('two sends of one key are one lead, though the server holds up the first and not the second', async (t) => {
  const { store, database } = await openNode(t)
  const keyed = (index: number) =>
    lead(index, { dedup: { by: 'key', value: 'k' }, values: lead(0).values })
  const release = await database.hold('lock table lead in access exclusive mode')
  const first = store.leads.keep(keyed(1))
  // The second would wait for the server until after the first has given up.
  await sleep(500)
  const second = store.leads.keep(keyed(2))
  assert.deepEqual(await first, keptAs(lead(1)))
  await release()
  const { id, reference } = lead(1)
  assert.deepEqual(await second, { kind: 'repeated', id, reference })
  await replayed(store)
  assert.deepEqual(await idsIn(store), [1])
})

test('a server that hangs delays nobody for long, and what it commits late is not kept twice [nodes.once]', async (t) => {
  const { store } = await openNode(t)
  await store.leads.keep(lead(0))
  const keeping = Array.from({ length: 40 }, (_, index) => store.leads.keep(lead(index + 1)))
  server.freeze()
  keeping.push(...Array.from({ length: 40 }, (_, index) => store.leads.keep(lead(index + 41))))
  const kept = await Promise.all(keeping)
  assert.ok(kept.every(({ kind }) => kind === 'kept'))
  assert.ok((await store.state(Date.now())).journal!.leads >= 40)
  server.thaw()
  await replayed(store)
  assert.equal((await idsIn(store)).length, 81)
})

test('a lead that PostgreSQL refuses holds up nobody, and doctor says what to do with it', async (t) => {
  const { store, database, url, dataDir, reports } = await openNode(t)
  const doctor = () => leadIntake({ dataDir, env: { DATABASE_URL: url } }, ['doctor'])
  await database.execute(`alter table lead add constraint odd check (message <> 'odd')`)
  const odd = lead(2, { values: { ...lead(2).values, message: 'odd' } })
  for (const each of [lead(1), odd, lead(3)]) {
    assert.deepEqual(await store.leads.keep(each), keptAs(each))
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

test('a node with its secret starts without the server, and replays what it finds [nodes.start]', async (t) => {
  const { store, url, dataDir } = await openNode(t)
  await server.stop('fast')
  await store.leads.keep(lead(1))
  await store.close()
  const again = await open(t, url, dataDir)
  await again.leads.keep(lead(2))
  assert.equal((await again.state(Date.now())).journal?.leads, 2)
  await server.start()
  await replayed(again)
  assert.deepEqual(await idsIn(again), [1, 2])
})

test('a torn last line is dropped, and the next lead begins on a new line', async (t) => {
  const dataDir = temporaryFolder(t)
  await new Journal(dataDir).add(lead(1))
  appendFileSync(journalOf(dataDir), JSON.stringify(lead(2)).slice(0, -9))
  const torn = new Journal(dataDir)
  assert.equal(torn.state().leads, 1)
  await torn.add(lead(3))
  assert.deepEqual(await replayedFrom(new Journal(dataDir)), [1, 3])
  assert.ok(!existsSync(journalOf(dataDir)))
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

type Line = { url: string; cut(): void; mend(): void }

/** One node's own way to the server, which a test can cut while other nodes still reach it. */
async function openLine(t: Cleaner, url: string): Promise<Line> {
  const direct = new URL(url)
  const socketName = '.s.PGSQL.5432'
  const target = join(direct.searchParams.get('host')!, socketName)
  const folder = temporaryFolder(t)
  const sockets = new Set<Socket>()
  let isCut = false
  const relay = createServer((node) => {
    if (isCut) return void node.destroy()
    const upstream = connect(target)
    for (const [one, other] of [
      [node, upstream],
      [upstream, node],
    ] as const) {
      sockets.add(one)
      one.on('error', () => other.destroy())
      one.on('close', () => other.destroy())
      one.pipe(other)
    }
  })
  relay.listen(join(folder, socketName))
  await once(relay, 'listening')
  const hangUp = () => sockets.forEach((socket) => socket.destroy())
  t.after(() => {
    hangUp()
    relay.close()
  })
  direct.searchParams.set('host', folder)
  return {
    url: direct.href,
    cut() {
      isCut = true
      hangUp()
    },
    mend: () => void (isCut = false),
  }
}

async function replayedFrom(journal: Journal): Promise<number[]> {
  const seen: number[] = []
  await journal.replay((found: NewLead) => {
    assert.deepEqual(found, lead(numberOf(found.id)))
    seen.push(numberOf(found.id))
    return Promise.resolve()
  })
  return seen
}

async function openNode(t: Cleaner) {
  const database = newPostgresDatabase(server.url)
  await database.execute('select 1')
  const dataDir = temporaryFolder(t)
  const reports: { event: string; facts: Parameters<ReportEvent>[1] }[] = []
  const report: ReportEvent = (event, facts) => void reports.push({ event, facts })
  const store = await open(t, database.url, dataDir, report)
  return { store, database, url: database.url, dataDir, reports }
}

async function open(
  t: Cleaner,
  url: string,
  dataDir: string,
  report: ReportEvent = () => {},
): Promise<Store> {
  const store = await openSharedStore({
    url,
    dataDir,
    log: { warn: (event, facts = {}) => report(event, facts), info() {} },
    recipients: nobody,
  })
  let closing: Promise<void> | undefined
  const closeOnce = store.close.bind(store)
  store.close = () => (closing ??= closeOnce())
  t.after(() => store.close())
  return store
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

async function idsIn(store: Store): Promise<number[]> {
  const leads = await store.views.list({ limit: 500 })
  return leads.map(({ id }) => numberOf(id)).toReversed()
}
