import assert from 'node:assert/strict'
import test from 'node:test'
import { StorageUnavailable } from '../../src/store/engine/engine.ts'
import { openTestApp } from '../support/app.ts'
import { callTool, newer, older, type ToolResult } from '../support/mcp.ts'
import { countLeads, robin, sam } from '../support/leads.ts'

const submit = 'submit_consultation_lead'
test('a tool tells what is wrong with a lead in the words of HTTP [4.3.mcp, mcp.errors]', async (t) => {
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
  assert.equal(await countLeads(app.store), 0)
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

test('what cannot be kept is told alike, with the time to wait', async (t) => {
  const app = openTestApp(t)
  app.store.leads.keep = () => Promise.reject(new StorageUnavailable('full'))
  const over = await app.postJson(sam)
  for (const era of [older, newer]) {
    const result = await callTool(app, submit, sam, { era })
    assert.deepEqual(envelopeOf(result), over.json)
    assert.equal(result.content[1]!.text, `Retry-After: ${over.headers['retry-after']} seconds`)
  }
})

function envelopeOf(result: ToolResult): { error: { code: string } } {
  assert.equal(result.isError, true)
  assert.equal(result.structuredContent, undefined)
  return JSON.parse(result.content[0]!.text) as { error: { code: string } }
}

function nested(depth: number): object {
  return depth === 0 ? {} : { deeper: nested(depth - 1) }
}
