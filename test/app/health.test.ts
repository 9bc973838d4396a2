import assert from 'node:assert/strict'
import test from 'node:test'
import { reportOnceAMinute } from '../../src/log.ts'
import { StorageUnavailable } from '../../src/store/engine/engine.ts'
import { openTestApp } from '../support/app.ts'

test('the health check answers exactly {"status":"ok"} [4.1, 2.2]', async (t) => {
  const { ask } = openTestApp(t)
  const answer = await ask('GET', '/api/lead')
  assert.equal(answer.status, 200)
  assert.equal(answer.headers['content-type'], 'application/json')
  assert.equal(answer.text, '{"status":"ok"}')
})

test('HEAD is answered like GET', async (t) => {
  const { ask } = openTestApp(t)
  assert.equal((await ask('HEAD', '/api/lead')).status, 200)
})

test('while nothing can be committed, health says so with the envelope', async (t) => {
  const down = { probe: () => Promise.reject(new StorageUnavailable('full')) }
  const { ask, store } = openTestApp(t)
  const broken = openTestApp(t, { store: { ...store, ...down } })
  const answer = await broken.ask('GET', '/api/lead')
  assert.equal(answer.status, 503)
  assert.equal(answer.headers['retry-after'], '5')
  assert.deepEqual(Object.keys(answer.json as object), ['error'])
  assert.equal((answer.json as { error: { code: string } }).error.code, 'STORAGE_UNAVAILABLE')
  assert.equal((await ask('GET', '/api/lead')).status, 200)
})

test('the log says why health failed, and not again within a minute', async (t) => {
  const told: string[] = []
  const { store } = openTestApp(t)
  const clock = { now: Date.UTC(2026, 10, 15, 9) }
  const now = () => clock.now
  const { ask } = openTestApp(t, {
    store: { ...store, probe: () => Promise.reject(new TypeError('robin@example.com')) },
    reportFailure: reportOnceAMinute(
      (event, facts) => told.push(`${event} ${facts?.['error']}`),
      now,
    ),
    now,
  })
  for (const second of [0, 5, 61]) {
    clock.now += second * 1_000
    assert.equal((await ask('GET', '/api/lead')).status, 503)
  }
  assert.deepEqual(told, ['health.probe-failed TypeError', 'health.probe-failed TypeError'])
})

test('health is well again as soon as a commit succeeds, without a restart', async (t) => {
  let full = true
  const { store } = openTestApp(t)
  const probe = (at: number) =>
    full ? Promise.reject(new StorageUnavailable('full')) : store.probe(at)
  const { ask } = openTestApp(t, { store: { ...store, probe } })
  assert.equal((await ask('GET', '/api/lead')).status, 503)
  full = false
  assert.equal((await ask('GET', '/api/lead')).status, 200)
})

test('one proof of health serves all who ask within a second', async (t) => {
  let probes = 0
  const { store } = openTestApp(t)
  const probe = (at: number) => {
    probes += 1
    return store.probe(at)
  }
  const { ask, clock } = openTestApp(t, { store: { ...store, probe } })
  await Promise.all(Array.from({ length: 20 }, () => ask('GET', '/api/lead')))
  assert.equal(probes, 1)
  clock.now += 1_500
  await ask('GET', '/api/lead')
  assert.equal(probes, 2)
})
