import assert from 'node:assert/strict'
import { join } from 'node:path'
import test from 'node:test'
import { patienceMs } from '../support/patience.ts'
import { startServiceProcess, temporaryFolder } from '../support/service.ts'
import { readStored } from '../support/stored.ts'
import { openFlakyLine } from './flaky-line.ts'
import { consult } from './run.ts'
import { answerJson, startStandIn } from './stand-in.ts'

const sam = ['--name', 'Sam', '--email', 'sam@example.com']
/** No local answer takes this long: only what the site does leads to another attempt. */
const patient = ['--timeout', String(patienceMs / 1_000)]
const success = { ok: true, message: 'Received.', reference: 'C-7K3QM-4X92P' }

test('through a line that fails again and again, a request is one lead', async (t) => {
  const dataDir = temporaryFolder(t)
  const service = await startServiceProcess({ dataDir })
  t.after(() => service.stop())
  const line = await openFlakyLine(t, service.url)
  const at = { cwd: dataDir, baseUrl: line.url }
  const sent = await consult(['send', ...sam, ...patient, '--yes', '--json'], at)
  assert.equal(sent.code, 0)
  assert.equal((JSON.parse(sent.out) as { replayed: boolean }).replayed, true)
  assert.match(sent.error, /cannot be reached .* Trying again with the same key in .* \(1 of 4\)/)
  assert.match(sent.error, /\(2 of 4\)/)
  assert.equal(line.attempts, 3)
  assert.equal(readStored(join(dataDir, 'leads.sqlite')).leads.length, 1)
})

test('503 and 429 are waited out as the site asks, with one key', async (t) => {
  const site = await startStandIn(t, (response, _, before) => {
    if (before === 2) return answerJson(response, 200, success)
    response.writeHead(before === 0 ? 503 : 429, { 'retry-after': '0' }).end()
  })
  const sent = await consult(['send', ...sam, ...patient, '--yes', '--json'], {
    cwd: temporaryFolder(t),
    baseUrl: site.url,
  })
  assert.equal(sent.code, 0)
  assert.match(sent.error, /The site answers 503\. Trying again .*\n.*The site answers 429\./)
  const keys = site.heard.map(({ headers }) => headers['idempotency-key'])
  assert.equal(keys.length, 3)
  assert.equal(new Set(keys).size, 1)
  const { idempotency_key: told } = JSON.parse(sent.out) as { idempotency_key: string }
  assert.equal(told, keys[0])
})

test('a site that will be long, or says nothing, ends with code 3 and a safe way on', async (t) => {
  const cwd = temporaryFolder(t)
  const busy = await startStandIn(t, (response) =>
    response.writeHead(503, { 'retry-after': '3600' }).end(),
  )
  const later = await consult(['send', ...sam, ...patient, '--yes'], { cwd, baseUrl: busy.url })
  assert.equal(later.code, 3)
  assert.equal(busy.heard.length, 1)
  const key = String(busy.heard[0]!.headers['idempotency-key'])
  assert.ok(later.error.includes(`add --idempotency-key ${key}`))

  const silent = await startStandIn(t, () => {})
  const words = ['send', ...sam, '--yes', '--json', '--timeout', '0.3', '--retries', '1']
  const hung = await consult([...words, '--idempotency-key', 'mine'], { cwd, baseUrl: silent.url })
  assert.equal(hung.code, 3)
  const { error } = JSON.parse(hung.out) as { error: { code: string; message: string } }
  assert.equal(error.code, 'NO_ANSWER')
  assert.match(error.message, /did not answer within 0\.3 seconds/)
  assert.match(hung.error, /Trying again with the same key in .* \(1 of 1\)/)
  assert.ok(silent.heard.every(({ headers }) => headers['idempotency-key'] === 'mine'))
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
  const send = (baseUrl: string) =>
    consult(['send', ...sam, ...patient, '--yes', '--retries', '0'], { cwd, baseUrl })

  const redirected = await send(redirecting.url)
  assert.equal(redirected.code, 4)
  assert.ok(redirected.error.includes(`use --base-url ${target.url}`))
  assert.equal(target.heard.length, 0)
  const strange = await send(stranger.url)
  assert.equal(strange.code, 1)
  assert.match(strange.error, /does not answer as this service does \(status 404\)/)
  const insecure = await send(stranger.url.replace('http:', 'https:'))
  assert.equal(insecure.code, 3)
  assert.match(insecure.error, /cannot prove who it is \(TLS: \w+\)/)
  const nowhere = await send('http://nowhere.invalid')
  assert.equal(nowhere.code, 3)
  for (const { error } of [redirected, strange, insecure, nowhere]) {
    assert.doesNotMatch(error, /sam@example|\s+at .*:\d+/)
  }
})

test('words of a site cannot steer the terminal, as text or as JSON', async (t) => {
  const nasty = '\u001b[2J\u009b31m\u202egnp\r\nnext'
  const site = await startStandIn(t, (response, { path }) => {
    if (path === '/llms.txt') return response.end(`# Decks\n\n> ${nasty}\n`)
    if (path === '/openapi.json') {
      const paths = { [`/x${nasty}`]: { get: { summary: nasty }, parameters: [] } }
      return answerJson(response, 200, { openapi: '3.1.0', paths })
    }
    const error = { code: 'VALIDATION_ERROR', message: nasty, resolution: nasty }
    answerJson(response, 400, { error })
  })
  const at = { cwd: temporaryFolder(t), baseUrl: site.url }
  const commands = [['info'], ['endpoints'], ['health'], ['send', ...sam, '--yes']]
  const lines = commands.flatMap((words) => [words, [...words, '--json']])
  const runs = await Promise.all(lines.map((words) => consult(words, at)))
  for (const { out, error } of runs) {
    assert.match(out + error, /next/)
    // oxlint-disable-next-line no-control-regex
    assert.doesNotMatch(out + error, /[\0-\x09\x0b-\x1f\x7f-\x9f\u202e]/)
  }
  for (const { out } of runs.filter((_, index) => index % 2 === 1)) {
    assert.ok(JSON.stringify(JSON.parse(out)).includes('\u202e'))
  }
})
