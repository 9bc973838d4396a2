import assert from 'node:assert/strict'
import { join } from 'node:path'
import test from 'node:test'
import { startServiceProcess, temporaryFolder } from '../support/service.ts'
import { readStored } from '../support/stored.ts'
import { openFlakyLine } from '../support/flaky-line.ts'
import { consult } from '../support/consult.ts'
import { answerJson, startStandIn } from '../support/stand-in.ts'

const sam = JSON.stringify({ name_1: 'Sam', email_1: 'sam@example.com' })
const send = ['send', '-', '--yes']
const success = { ok: true, message: 'Received.', reference: 'C-7K3QM-4X92P' }

test('through a line that fails again and again, a request is one lead', async (t) => {
  const dataDir = temporaryFolder(t)
  const service = await startServiceProcess({ dataDir })
  t.after(() => service.stop())
  const line = await openFlakyLine(t, service.url)
  const { code, out, error } = await consult(send, { cwd: dataDir, baseUrl: line.url, input: sam })
  assert.equal(code, 0, error)
  assert.equal(JSON.parse(out).replayed, true)
  assert.match(error, /cannot be reached .* Trying again in .* s \(1 of 4\)/)
  assert.equal(readStored(join(dataDir, 'leads.sqlite')).leads.length, 1)
})

test('503 and 429 are waited out as the site asks, with one key', async (t) => {
  const site = await startStandIn(t, (response, _, before) => {
    if (before >= 2) return answerJson(response, 200, success)
    response.writeHead(before === 0 ? 503 : 429, { 'retry-after': '0' }).end()
  })
  const at = { cwd: temporaryFolder(t), baseUrl: site.url, input: sam }
  const { code, out, error } = await consult(send, at)
  assert.equal(code, 0, error)
  assert.match(error, /The site answers 503\. Trying again .*\n.*The site answers 429\./)
  const keys = site.heard.map(({ body }) => JSON.parse(body).idempotency_key)
  assert.ok(keys.length >= 3)
  assert.deepEqual([...new Set(keys)], [JSON.parse(out).idempotency_key])
})
