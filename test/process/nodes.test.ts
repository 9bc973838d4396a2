import assert from 'node:assert/strict'
import test, { after, before } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { nobody } from '../../src/contract/notices.ts'
import { Store } from '../../src/store/store.ts'
import { acknowledgedMore, startLoad } from '../support/load.ts'
import { newLead, nowMs } from '../support/leads.ts'
import { newPostgresDatabase, setReadOnly, type TestDatabase } from '../support/engines.ts'
import { openPostgresServer, type Postgres } from '../support/postgres.ts'
import { assertKept, readStoredIn } from '../support/stored.ts'
import { until } from '../support/until.ts'
import { startServiceProcess, temporaryFolder, type Cleaner } from '../support/service.ts'
import { startServiceHere } from '../support/service-here.ts'

const seconds = Number(process.env['STORY_NODES_SECONDS'] ?? 1)
/** In the suite other tests run beside it. */
const isShort = seconds < 3
const pauseMs = isShort ? 250 : 20
const betweenKillsMs = 1_000
const nodeCount = isShort ? 2 : 3
/** The first is a process that is killed once, and the other one lives in the process of the test. */
const [killedNodes, mostKills] = isShort ? [1, 1] : [nodeCount, Number.POSITIVE_INFINITY]
const keys = Number(process.env['STORY_NODES_KEYS'] ?? 15)
const deliveries = Number(process.env['STORY_DELIVERIES'] ?? 60)

let server: Postgres
before(async () => {
  server = await openPostgresServer({ durable: true })
})
after(() => server.close())

test('nodes and their server die under load, and no acknowledged lead is lost, doubled or altered [nodes.away, nodes.once]', async (t) => {
  const database = await newDatabase()
  const nodes = await startNodes(t, database.url)
  const loads = nodes.map((node, index) =>
    startLoad({ port: node.port, label: `node-${index}`, connections: 8, pauseMs }),
  )
  const inFlight = 8 * nodes.length
  const acknowledged = () => loads.reduce((sum, { counts }) => sum + counts.acknowledged, 0)
  let whileAway = 0
  const absence = async (leave: () => void | Promise<void>, ms: number) => {
    await leave()
    const earlier = acknowledged()
    await sleep(ms)
    // More than were under way when the server left.
    await until(() => acknowledged() > earlier + inFlight, 'leads are taken without the server')
    whileAway += acknowledged() - earlier
  }
  let killed = 0
  const over = new AbortController()
  const killing = (async () => {
    while (!over.signal.aborted && killed < mostKills) {
      const next = killed % killedNodes
      await nodes[next]!.crash()
      killed += 1
      await acknowledgedMore(loads[next]!, 1)
      await sleep(betweenKillsMs)
    }
  })()

  const share = (seconds * 1_000) / 6
  for (const how of ['fast', 'immediate', 'kill'] as const) {
    await sleep(share)
    await absence(() => server.stop(how), share / 3)
    await server.start()
  }
  await absence(() => setReadOnly(database, 'on'), share / 3)
  await setReadOnly(database, 'off')
  await absence(() => server.freeze(), share * 2)
  server.thaw()
  over.abort()
  await killing
  await Promise.all(loads.map((load) => load.stop()))
  const startedAt = performance.now()
  await allReplayed(nodes)
  const replayMs = Math.round(performance.now() - startedAt)

  const stored = await readStoredIn(database)
  const all = new Map(loads.flatMap((load) => [...load.acknowledged]))
  const altered = stored.leads.filter(({ values }) => values.name !== 'Robin Example').length
  const report = { story: 'nodes', nodes: nodes.length, killed, acknowledged: all.size }
  t.diagnostic(JSON.stringify({ ...report, whileAway, replayMs, altered }))
  assertKept(all, stored)
  assert.equal(altered, 0)
  assert.deepEqual(
    loads.flatMap(({ unexpected }) => unexpected),
    [],
  )
})

test('keys sent ten times each, at once, to different nodes are one lead each [repeat.at-once]', async (t) => {
  const database = await newDatabase()
  // Stores of commands, which wait: a node that takes the server for slow may keep a key for itself.
  const stores = [1, 2, 3].map(() => new Store(database.open(), nobody))
  t.after(async () => void (await Promise.all(stores.map((store) => store.close()))))
  const sends = Array.from({ length: keys * 10 }, (_, index) => Math.floor(index / 10))
  const references = new Map<number, Set<string>>()
  let sent = 0
  await Promise.all(
    Array.from({ length: 30 }, async (_, client) => {
      for (let key = sends.pop(); key !== undefined; key = sends.pop()) {
        const { values } = newLead(key)
        const dedup = { by: 'key', value: `key-${key}` } as const
        const lead = newLead((sent += 1), { values, dedup, receivedAt: nowMs })
        const kept = await stores[client % stores.length]!.leads.keep(lead)
        assert.ok(kept.kind === 'kept' || kept.kind === 'repeated', kept.kind)
        references.set(key, (references.get(key) ?? new Set()).add(kept.reference))
      }
    }),
  )
  const { leads, breaks } = await readStoredIn(database)
  const unsteady = [...references.values()].filter((each) => each.size > 1).length
  t.diagnostic(JSON.stringify({ story: 'keys', keys, sent, leads: leads.length, unsteady }))
  assert.deepEqual([leads.length, unsteady, breaks], [keys, 0, []])
})

test('eight workers on three nodes lease every delivery once [deliver.once]', async (t) => {
  const database = await newDatabase()
  const stores = [1, 2, 3].map(() => new Store(database.open(), nobody))
  t.after(async () => void (await Promise.all(stores.map((store) => store.close()))))
  let next = 0
  await Promise.all(
    Array.from({ length: 20 }, async () => {
      while (next < deliveries) {
        await stores[0]!.leads.keep(newLead((next += 1), { deliverTo: ['mail'] }))
      }
    }),
  )
  const delivered: string[] = []
  await Promise.all(
    Array.from({ length: 8 }, async (_, worker) => {
      const store = stores[worker % stores.length]!
      for (;;) {
        const now = nowMs * 2
        const leaseUntil = now + 60_000
        const lease = { channel: 'mail', now, leaseUntil, limit: 20 }
        const leased = await store.deliveries.lease(lease)
        if (leased.length === 0) return
        for (const delivery of leased) {
          delivered.push(delivery.leadId)
          await store.deliveries.finish(delivery, { ending: { kind: 'delivered' }, at: nowMs })
        }
      }
    }),
  )
  const twice = delivered.length - new Set(delivered).size
  t.diagnostic(JSON.stringify({ story: 'leases', delivered: delivered.length, twice }))
  assert.equal(delivered.length, deliveries)
  assert.equal(twice, 0)
})

async function newDatabase(): Promise<TestDatabase> {
  const database = newPostgresDatabase(server.url)
  await database.execute('select 1')
  return database
}

type TestNode = {
  port(): number
  /** kill -9, and a new start. */
  crash(): Promise<void>
}

type Readiness = { database: string; journal: { leads: number } }

/** One after the other: the first makes the schema. */
async function startNodes(t: Cleaner, databaseUrl: string): Promise<TestNode[]> {
  const nodes: TestNode[] = []
  for (let number = 0; number < nodeCount; number += 1) {
    const place = { dataDir: temporaryFolder(t), env: { DATABASE_URL: databaseUrl } }
    nodes.push(await (number < killedNodes ? startNode(t, place) : startNodeHere(t, place)))
  }
  return nodes
}

type Place = { dataDir: string; env: Record<string, string> }

async function startNode(t: Cleaner, place: Place): Promise<TestNode> {
  let service = await startServiceProcess(place)
  t.after(() => service.stop('SIGKILL'))
  return {
    port: () => service.port,
    async crash() {
      await service.stop('SIGKILL')
      service = await startServiceProcess(place)
    },
  }
}

async function startNodeHere(t: Cleaner, place: Place): Promise<TestNode> {
  const { port } = await startServiceHere(t, place)
  return { port: () => port, crash: () => assert.fail('it would end the test') }
}

async function allReplayed(nodes: readonly TestNode[]): Promise<void> {
  const readiness = async ({ port }: TestNode) =>
    (await (await fetch(`http://127.0.0.1:${port()}/readyz`)).json()) as Readiness
  await until(async () => {
    const told = await Promise.all(nodes.map(readiness))
    return told.every(({ database, journal }) => database === 'ok' && journal.leads === 0)
  }, 'all journals are replayed')
}
