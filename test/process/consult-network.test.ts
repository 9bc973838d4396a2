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

test('a site that will be long ends with code 3 and a safe way on', async (t) => {
  const busy = await startStandIn(t, (response) =>
    response.writeHead(503, { 'retry-after': '3600' }).end(),
  )
  const at = { cwd: temporaryFolder(t), baseUrl: busy.url, input: sam }
  const { code, out, error } = await consult(send, at)
  assert.equal(code, 3)
  assert.doesNotMatch(error, /answers 503\. Trying again/)
  const { code: name, resolution } = JSON.parse(out).error
  assert.equal(name, 'NO_ANSWER')
  const key = JSON.parse(busy.heard[0]!.body).idempotency_key
  assert.ok(resolution.includes(`--idempotency-key ${key}`))
})

test('another service, a redirect and a broken TLS are told apart, and get no details', async (t) => {
  const cwd = temporaryFolder(t)
  const target = await startStandIn(t, (response) => answerJson(response, 200, success))
  const redirecting = await startStandIn(t, (response) =>
    response.writeHead(308, { location: `${target.url}/api/lead` }).end(),
  )
  const stranger = await startStandIn(t, (response) =>
    response.writeHead(404, { 'content-type': 'text/html' }).end('<h1>Not found</h1>'),
  )
  const sendTo = (baseUrl: string) => consult(send, { cwd, baseUrl, input: sam })
  const redirected = await sendTo(redirecting.url)
  assert.equal(redirected.code, 1)
  assert.match(redirected.error, /\(status 308\)\. .*Redirects are not followed/)
  assert.equal(target.heard.length, 0)
  const strange = await sendTo(stranger.url)
  assert.equal(strange.code, 1)
  assert.match(strange.error, /does not answer as this service does \(status 404\)/)
  const insecure = await sendTo(stranger.url.replace('http:', 'https:'))
  assert.equal(insecure.code, 3)
  assert.match(insecure.error, /cannot be reached \(\w*SSL\w*\)/)
  for (const { out, error } of [redirected, strange, insecure]) {
    assert.doesNotMatch(out + error, /sam@example|\s+at .*:\d+/)
  }
})

test('words of a site cannot steer the terminal', async (t) => {
  const nasty = '\u001b[2J\u009b31m\u202egnp\r\nnext'
  const site = await startStandIn(t, (response, { path }) => {
    if (path !== '/openapi.json') {
      const error = { code: 'VALIDATION_ERROR', message: nasty, resolution: nasty }
      return answerJson(response, 400, { error })
    }
    const properties = { name_1: { title: 'name', description: nasty } }
    answerJson(response, 200, {
      info: { title: nasty, description: nasty },
      components: { schemas: { LeadRequest: { properties } } },
    })
  })
  const at = { cwd: temporaryFolder(t), baseUrl: site.url, input: sam }
  for (const words of [['info'], send]) {
    const { out, error } = await consult(words, at)
    assert.match(out, /next/)
    // oxlint-disable-next-line no-control-regex
    assert.doesNotMatch(out + error, /[\0-\x09\x0b-\x1f\x7f-\x9f\u202e]/)
    assert.ok(JSON.stringify(JSON.parse(out)).includes('\u202e'))
  }
})
