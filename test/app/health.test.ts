import assert from 'node:assert/strict'
import test from 'node:test'
import { StorageUnavailable } from '../../src/store/engine/engine.ts'
import { openTestApp } from '../support/app.ts'

test('the health check answers exactly {"status":"ok"} [4.1, 2.2]', async (t) => {
  const { ask } = openTestApp(t)
  const answer = await ask('GET', '/api/lead')
  assert.equal(answer.status, 200)
  assert.equal(answer.headers['content-type'], 'application/json')
  assert.equal(answer.text, '{"status":"ok"}')
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
