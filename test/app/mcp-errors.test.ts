import assert from 'node:assert/strict'
import test from 'node:test'
import { StorageUnavailable } from '../../src/store/engine/engine.ts'
import { openTestApp, type TestApp } from '../support/app.ts'
import {
  agentMeta,
  callTool,
  newer,
  older,
  post,
  type CallOptions,
  type ToolResult,
} from '../support/mcp.ts'
import { bot, robin, sam } from '../support/people.ts'

const submit = 'submit_consultation_lead'
const local = { 'content-type': 'application/json' }

test('what is wrong with a lead is told by the tool as it is over HTTP [4.3.mcp, mcp.errors]', async (t) => {
  const app = openTestApp(t)
  const bodies: object[] = [
    {},
    { name_1: 'Sam' },
    { ...sam, email_1: 'sam@' },
    { ...sam, name_1: ' \t ' },
    { ...sam, name_1: ['Sam', 'Robin'] },
    { ...robin, phone_1: 412, text_1: 'x'.repeat(17), textarea_1: 'x'.repeat(10_001) },
    { ...sam, extra: nested(20) },
    { ...sam, ...Object.fromEntries(Array.from({ length: 41 }, (_, n) => [`extra_${n}`, n])) },
    { ...sam, idempotency_key: 'x'.repeat(256) },
    { ...sam, idempotency_key: 7 },
  ]
  for (const body of bodies) {
    const { json } = await app.postJson(body)
    for (const era of [older, newer]) {
      const result = await callTool(app, submit, body, { era })
      assert.deepEqual(envelopeOf(result), json)
    }
  }
  assert.equal(await app.store.countLeads(undefined, 1), 0)
})

test('params that do not fit are named, with what was expected [mcp.errors]', async (t) => {
  const app = openTestApp(t)
  const wrong = [
    [older('resources/read', {}), /"uri".*expected string/s],
    [older('tools/call', { name: submit, arguments: [sam] }), /"arguments".*expected record/s],
    [newer('tools/call', { name: submit, arguments: 'x' }), /"arguments".*expected record/s],
  ] as const
  for (const [request, words] of wrong) {
    const { json } = await app.ask('POST', '/mcp', request)
    assert.match((json as { error: { message: string } }).error.message, words)
  }
})

test('a resource that is not there is told as such, whatever its address looks like', async (t) => {
  const app = openTestApp(t)
  const uris = [
    'https://decks.example.com/page[1]',
    'x[null]',
    '[]',
    '[{"path":["a"],"message":"now"}]',
    '[{"path":{"toString":1},"message":"now"}]',
    '[{"path":["a"],"message":{"toString":1}}]',
    `[{"path":${'['.repeat(1_500)}${']'.repeat(1_500)},"message":"now"}]`,
    'Invalid tools/call request: [{"path":["a"],"message":"now"}]',
  ]
  for (const uri of uris) {
    const { json } = await app.ask('POST', '/mcp', older('resources/read', { uri }))
    const { code, message } = (json as { error: { code: number; message: string } }).error
    assert.equal(code, -32602)
    assert.match(message, /^Resource not found/)
  }
})

test('a key used before for another lead is told alike', async (t) => {
  const app = openTestApp(t)
  await callTool(app, submit, { ...sam, idempotency_key: 'k' })
  const other = { ...robin, idempotency_key: 'k' }
  const { status, json } = await app.postJson(other)
  assert.equal(status, 422)
  assert.deepEqual(envelopeOf(await callTool(app, submit, other)), json)
})

test('leads of all doors count together, and a tool is told how long to wait', async (t) => {
  const app = openTestApp(t, { rateLimit: { soft: 20, hard: 2 } })
  const from = '192.0.2.1'
  await app.ask('POST', '/api/lead', { headers: local, body: JSON.stringify(sam), from })
  assert.ok((await call(app, robin, { from })).structuredContent)
  app.clock.now += 20_000
  const result = await call(app, robin, { from })
  const { json } = await app.ask('POST', '/api/lead', { headers: local, body: '{}', from })
  assert.deepEqual(envelopeOf(result), json)
  assert.equal(result.content[1]!.text, 'Retry-After: 40 seconds')
})

test('every message counts to the limit, and past it is told how long to wait', async (t) => {
  const app = openTestApp(t, { rateLimit: { soft: 1, hard: 4 } })
  const from = '192.0.2.1'
  for (const request of [older('ping'), newer('tools/list'), post('{'), post('[]')]) {
    assert.notEqual((await app.ask('POST', '/mcp', { ...request, from })).status, 429)
  }
  for (const request of [older('ping'), newer('tools/list'), post('{'), post('too-large')]) {
    const { status, headers, json } = await app.ask('POST', '/mcp', { ...request, from })
    assert.equal(status, 429)
    assert.equal(headers['retry-after'], '60')
    assert.equal(headers['ratelimit'], '"leads";r=0;t=60')
    const { code, message } = (json as { error: { code: number; message: string } }).error
    assert.equal(code, -32000)
    assert.match(message, /Wait 60 seconds/)
  }
  for (const era of [older, newer]) {
    const result = await callTool(app, 'get_business_info', {}, { from, era })
    assert.equal(envelopeOf(result).error.code, 'RATE_LIMITED')
  }
  assert.equal((await app.ask('POST', '/mcp', older('ping'))).status, 200)
})

test('a lead that a tool sends counts once', async (t) => {
  const app = openTestApp(t, { rateLimit: { soft: 20, hard: 3 } })
  const from = '192.0.2.1'
  await call(app, sam, { from })
  const { headers } = await app.ask('POST', '/api/lead', { headers: local, body: '{}', from })
  assert.equal(headers['ratelimit'], '"leads";r=1;t=60')
})

test('a message of more than 500 values, or deeper than 32 levels, is refused', async (t) => {
  const app = openTestApp(t)
  const hello = (icons: object[]) => ({
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'helper', version: '2.1', icons },
  })
  const icon = { src: 'https://example.com/icon.png' }
  for (const request of [
    older('initialize', hello(Array.from({ length: 20_000 }, () => ({})))),
    older('tools/call', {
      name: submit,
      arguments: { ...robin, list: Array.from({ length: 500 }, () => 1) },
    }),
    newer('tools/call', { name: submit, arguments: { ...robin, deep: nested(32) } }),
    newer('tools/list', { _meta: { ...agentMeta, deep: nested(32) } }),
  ]) {
    const { status, json } = await app.ask('POST', '/mcp', request)
    assert.equal(status, 400)
    const { code, message } = (json as { error: { code: number; message: string } }).error
    assert.equal(code, -32600)
    assert.match(message, /more than 500 values.*Leave out/)
  }
  assert.equal(await app.store.countLeads(undefined, 1), 0)
  const welcome = await app.ask(
    'POST',
    '/mcp',
    older('initialize', hello(Array.from({ length: 200 }, () => icon))),
  )
  assert.match(welcome.text, /"protocolVersion":"2025-11-25"/)
  const long = { ...robin, textarea_1: 'x'.repeat(10_000), note: 'x'.repeat(15_000) }
  for (const era of [older, newer]) assert.ok((await call(app, long, { era })).structuredContent)
})

test('what cannot be kept is told alike, with the time to wait', async (t) => {
  const { store } = openTestApp(t)
  const keepLead = () => Promise.reject(new StorageUnavailable('full'))
  const app = openTestApp(t, { store: { ...store, keepLead } })
  const over = await app.postJson(sam)
  for (const era of [older, newer]) {
    const result = await call(app, sam, { era })
    assert.deepEqual(envelopeOf(result), over.json)
    assert.equal(result.content[1]!.text, `Retry-After: ${over.headers['retry-after']} seconds`)
  }
})

test('a fault of ours is told without its words', async (t) => {
  const { store } = openTestApp(t)
  const keepLead = () => Promise.reject(new Error('at robin@example.com'))
  const app = openTestApp(t, { store: { ...store, keepLead } })
  for (const era of [older, newer, older]) {
    const result = await call(app, robin, { era })
    assert.equal(envelopeOf(result).error.code, 'INTERNAL_ERROR')
    assert.doesNotMatch(JSON.stringify(result), /robin/)
  }
})

test('whoever springs the trap gets the same answer as everybody, and is held', async (t) => {
  const app = openTestApp(t)
  const { structuredContent } = await call(app, bot)
  assert.equal(structuredContent!['ok'], true)
  const kept = await app.store.findByReference(String(structuredContent!['reference']))
  assert.equal(kept!.state, 'held')
})

test('unlisted arguments are kept as they are over HTTP', async (t) => {
  const app = openTestApp(t)
  const lead = (email: string) =>
    JSON.parse(
      `{"name_1":"Sam","email_1":"${email}","__proto__":{"a":1},"list":[1,{"b":null}]}`,
    ) as object
  await app.postJson(lead('http@example.com'))
  await call(app, lead('first@example.com'))
  await call(app, lead('second@example.com'))
  await call(app, lead('newer@example.com'), { era: newer })
  const kept = await app.store.listLeads({ limit: 9 })
  assert.deepEqual(
    kept.map(({ unlisted }) => unlisted),
    Array.from({ length: 4 }, () => '{"__proto__":{"a":1},"list":[1,{"b":null}]}'),
  )
})

function call(app: TestApp, lead: object, options: CallOptions = {}): Promise<ToolResult> {
  return callTool(app, submit, lead, options)
}

function envelopeOf(result: ToolResult): { error: { code: string } } {
  assert.equal(result.isError, true)
  assert.equal(result.structuredContent, undefined)
  return JSON.parse(result.content[0]!.text) as { error: { code: string } }
}

function nested(depth: number): object {
  return depth === 0 ? {} : { deeper: nested(depth - 1) }
}
