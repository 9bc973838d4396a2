import assert from 'node:assert/strict'
import test from 'node:test'
import { fields } from '../../src/contract/fields.ts'
import { openTestApp } from '../support/app.ts'
import { everyField, mai, robin, sam } from '../support/leads.ts'

test('a lead from a JSON client is received [1.agents, 2.3, 4.2.json-accepted, 5.open, 9.path]', async (t) => {
  const { postJson, store } = openTestApp(t)
  const answer = await postJson(robin)
  assert.equal(answer.status, 200)
  assert.equal(answer.headers['content-type'], 'application/json')
  const body = answer.json as Record<string, unknown>
  assert.equal(body['ok'], true)
  assert.match(String(body['message']), /Consultation request was received/)
  assert.match(String(body['reference']), /^C-[0-9A-HJKMNP-TV-Z]{5}-[0-9A-HJKMNP-TV-Z]{5}$/)
  assert.match(String(body['status_url']), /^https:\/\/decks\.example\.com\/receipt\/[0-9a-f]{64}$/)
  assert.equal(body['receipt_token'], String(body['status_url']).split('/').at(-1))
  const [lead] = await store.views.list({ limit: 2 })
  assert.equal(lead?.reference, body['reference'])
  assert.equal(lead?.door, 'json')
  assert.equal(lead?.state, 'new')
})

test('every field is kept as sent [2.1.phone_1, 2.1.text_1, 2.1.textarea_1]', async (t) => {
  const { postJson, store } = openTestApp(t)
  await postJson(everyField)
  const [lead] = await store.views.list({ limit: 1 })
  const kept = fields.map(({ key, example }) => [key, example])
  assert.deepEqual(lead?.values, Object.fromEntries(kept))
})

test('a name and an email are enough [4.2.rule]', async (t) => {
  const { postJson } = openTestApp(t)
  assert.equal((await postJson(sam)).status, 200)
})

test('unlisted properties are allowed and kept as they came [2.1.unlisted]', async (t) => {
  const { postJson, store } = openTestApp(t)
  assert.equal((await postJson(mai)).status, 200)
  const [lead] = await store.views.list({ limit: 1 })
  assert.deepEqual(JSON.parse(lead!.unlisted), {
    preferred_days: ['Friday'],
    agent: { name: 'helper', version: '2.1' },
  })
})

test('a script of another site may send a lead and read the answer', async (t) => {
  const { postJson, ask } = openTestApp(t)
  const answer = await postJson(sam, { origin: 'https://elsewhere.example.com' })
  assert.equal(answer.headers['access-control-allow-origin'], '*')
  assert.match(answer.headers['access-control-expose-headers']!, /Retry-After/)
  const refused = await postJson({}, { origin: 'https://elsewhere.example.com' })
  assert.equal(refused.headers['access-control-allow-origin'], '*')
  const preflight = await ask('OPTIONS', '/api/lead', {
    headers: {
      origin: 'https://elsewhere.example.com',
      'access-control-request-method': 'POST',
    },
  })
  assert.equal(preflight.status, 204)
  assert.match(preflight.headers['access-control-allow-headers']!, /Idempotency-Key/)
  assert.match(preflight.headers['access-control-allow-methods']!, /POST/)
})

test('no answer carries a cookie, a stack or a word of the database for a JSON client [5.secrets]', async (t) => {
  const { postJson } = openTestApp(t)
  for (const body of [sam, {}, { name_1: 1 }, [], null]) {
    const answer = await postJson(body)
    assert.deepEqual(answer.cookies, [])
    assert.doesNotMatch(answer.text, /sqlite|stack|node:|\.ts\b|secret/i)
  }
})
