import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type NetConnectOpts } from 'node:net'
import { pipeline } from 'node:stream'
import test, { after, before, type TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'
import { nobody } from '../../src/contract/notices.ts'
import { StoreRefused } from '../../src/store/engine/engine.ts'
import { openSharedStore } from '../../src/store/postgres/shared-store.ts'
import { openEngine } from '../../src/store/open.ts'
import { newLead } from '../support/leads.ts'
import { newPostgresDatabase, replayed } from '../support/engines.ts'
import { openPostgresServer, whenReached, type Postgres } from '../support/postgres.ts'
import { freePort, temporaryFolder } from '../support/service.ts'

/** It has signed the certificate of the server, which is for localhost and 127.0.0.1. */
const authority = fileURLToPath(new URL('../data/tls/authority.crt', import.meta.url))
const trusting = `sslmode=verify-full&sslrootcert=${authority}`

let server: Postgres
let tlsPort: number
before(async () => {
  tlsPort = await freePort()
  server = await openPostgresServer({ tlsPort })
  const admin = newPostgresDatabase(server.url)
  await admin.execute(`create role keeper superuser login password 'hunter2'`)
})
after(() => server.close())

test('leads are kept over TLS, whether the server is called by name or by address', async (t) => {
  const database = newPostgresDatabase(
    urlOf({ host: 'localhost', port: tlsPort, asking: trusting }),
  )
  await database.execute('select 1')
  for (const [index, host] of ['localhost', '127.0.0.1'].entries()) {
    const store = await whenReached(() => open(t, database.url.replace('localhost', host)))
    t.after(() => store.close())
    await store.leads.keep(newLead(index))
    await replayed(store)
  }
  assert.equal((await database.execute('select id from lead')).length, 2)
  const connections = await newPostgresDatabase(server.url).execute(
    `select ssl from pg_stat_ssl natural join pg_stat_activity where application_name = 'lead-intake'`,
  )
  assert.ok(connections.length >= 2)
  assert.ok(connections.every(({ ssl }) => ssl === true))
})

test('PGPASSWORD is the password where DATABASE_URL has none, with any character', async (t) => {
  const admin = newPostgresDatabase(server.url)
  const PGPASSWORD = 'a/b#c?d@e:f%g+h=='
  await admin.execute(`create role guarded superuser login password '${PGPASSWORD}'`)
  const url = `postgres://guarded@localhost:${tlsPort}/postgres?${trusting}`
  t.after(() => delete process.env['PGPASSWORD'])
  process.env['PGPASSWORD'] = PGPASSWORD
  const store = await whenReached(() => open(t, url))
  assert.equal((await store.leads.keep(newLead(1))).kind, 'kept')
  await store.close()
  process.env['PGPASSWORD'] = 'hunter3'
  await isRefused(t, url, /does not let the user guarded in \(28P01\)/)
})

test('a server whose certificate is not accepted is refused in a sentence, and learns nothing', async (t) => {
  const unknown = /certificate that is not accepted: unable to verify the first certificate\. Name/
  const cases: [host: string, asking: string, sentence: RegExp][] = [
    ['127.0.0.1', 'sslmode=verify-full', unknown],
    ['127.0.0.1', 'sslmode=require', unknown],
    [
      '127.0.0.2',
      trusting,
      /not accepted: .* 127\.0\.0\.2 is not in the cert's list: 127\.0\.0\.1/,
    ],
    ['127.0.0.2', trusting.replace('verify-full', 'verify-ca'), /127\.0\.0\.2 is not in the/],
  ]
  const warnings: Error[] = []
  process.on('warning', (warning) => warnings.push(warning))
  for (const [host, asking, sentence] of cases) {
    const spy = await openSpy(t, host, { host: '127.0.0.1', port: tlsPort })
    await isRefused(t, urlOf({ host, port: spy.port, asking }), sentence)
    assert.doesNotMatch(spy.heard(), /keeper|hunter2/)
  }
  assert.deepEqual(warnings, [])
})

test('where TLS is asked for, a server without it is refused, and learns nothing', async (t) => {
  // On its Unix socket the server speaks no TLS.
  const path = `${new URL(server.url).searchParams.get('host')}/.s.PGSQL.${tlsPort}`
  for (const asking of [trusting, 'sslmode=require', 'sslmode=prefer', 'sslmode=no-verify']) {
    const spy = await openSpy(t, '127.0.0.1', { path })
    const url = urlOf({ host: 'localhost', port: spy.port, asking })
    await isRefused(t, url, /does not speak TLS, and DATABASE_URL asks for it/)
    assert.doesNotMatch(spy.heard(), /keeper|hunter2/)
  }
})

function urlOf({ host, port, asking }: { host: string; port: number; asking: string }): string {
  return `postgres://keeper:hunter2@${host}:${port}/postgres?${asking}`
}

function open(t: TestContext, url: string) {
  return openSharedStore({
    url,
    dataDir: temporaryFolder(t),
    log: { warn() {}, info() {} },
    recipients: nobody,
  })
}

async function isRefused(t: TestContext, url: string, sentence: RegExp): Promise<void> {
  for (const attempt of [() => open(t, url), () => openEngine(url)]) {
    await assert.rejects(whenReached<unknown>(attempt), (error: Error) => {
      assert.ok(error instanceof StoreRefused, String(error))
      assert.match(error.message, sentence)
      assert.doesNotMatch(error.message, /hunter2/)
      return true
    })
  }
}

/** Stands between, hands everything on, and remembers what was said to the server. */
async function openSpy(t: TestContext, host: string, onward: NetConnectOpts) {
  let heard = ''
  const relay = createServer((client) => {
    client.on('data', (bytes) => (heard += bytes.toString('latin1')))
    pipeline(client, connect(onward), client, () => {})
  })
  relay.listen(0, host)
  await once(relay, 'listening')
  t.after(() => relay.close())
  return { port: (relay.address() as AddressInfo).port, heard: () => heard }
}
