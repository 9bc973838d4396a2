import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import test from 'node:test'
import { StorageUnavailable } from '../../src/store/engine/engine.ts'
import { openTestApp } from '../support/app.ts'
import { addDeliveries } from '../support/leads.ts'

const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string }

test('the health check answers exactly {"status":"ok"} [4.1, 2.2]', async (t) => {
  const { ask } = openTestApp(t)
  const answer = await ask('GET', '/api/lead')
  assert.equal(answer.status, 200)
  assert.equal(answer.headers['content-type'], 'application/json')
  assert.equal(answer.text, '{"status":"ok"}')
})

test('while nothing can be committed, health says so with the envelope, until a commit succeeds', async (t) => {
  const { ask, clock, store } = openTestApp(t)
  const full = () => Promise.reject(new StorageUnavailable('full'))
  const probing = t.mock.method(store, 'probe', full)
  const answer = await ask('GET', '/api/lead')
  assert.equal(answer.status, 503)
  assert.equal(answer.headers['retry-after'], '5')
  assert.deepEqual(Object.keys(answer.json as object), ['error'])
  assert.equal((answer.json as { error: { code: string } }).error.code, 'STORAGE_UNAVAILABLE')
  probing.mock.restore()
  clock.now += 1_000
  assert.equal((await ask('GET', '/api/lead')).status, 200)
})

test("the operator's tools are told how it stands with the database; a stranger only whether it is ready", async (t) => {
  const metricsToken = 'a-token-of-twenty-or-more'
  const { ask, clock } = openTestApp(t, { metricsToken })
  const answer = await ask('GET', '/readyz')
  assert.equal(answer.status, 200)
  assert.deepEqual(answer.json, {
    ready: true,
    version,
    started: new Date(clock.now).toISOString(),
    database: 'ok',
    journal: { leads: 0, oldest_age_s: 0, refused: false },
    deliveries: { waiting: 0, dead: 0 },
  })
  const from = '203.0.113.9'
  const asked = await ask('GET', '/readyz', { from })
  assert.deepEqual([asked.status, asked.json], [200, { ready: true }])
  const counted = openTestApp(t)
  const looks = t.mock.method(counted.store, 'state')
  for (const after of [0, 999, 1]) {
    counted.clock.now += after
    for (let times = 0; times < 3; times += 1) await counted.ask('GET', '/readyz', { from })
  }
  assert.equal(looks.mock.callCount(), 2, 'strangers cause one look in a second')
  const headers = { authorization: `Bearer ${metricsToken}` }
  assert.deepEqual((await ask('GET', '/readyz', { from, headers })).json, answer.json)
})

test('a dead delivery makes it unwell until it is replayed', async (t) => {
  const { ask, store, clock } = openTestApp(t)
  const now = clock.now
  const kind = 'disk.low'
  await addDeliveries(store, [
    { id: 'test/mail', leadId: '', channel: 'mail', kind, about: '', dueAt: now },
  ])
  const claim = { channel: 'mail', now, leaseUntil: now + 1_000, limit: 1 }
  const [claimed] = await store.deliveries.lease(claim)
  await store.deliveries.finish(claimed!, { ending: { kind: 'dead' }, at: now })
  const unwell = await ask('GET', '/readyz')
  assert.equal(unwell.status, 503)
  assert.deepEqual((unwell.json as { deliveries: object }).deliveries, { waiting: 0, dead: 1 })
  await store.deliveries.retry(now)
  assert.equal((await ask('GET', '/readyz')).status, 200)
})
