import assert from 'node:assert/strict'
import { join } from 'node:path'
import test from 'node:test'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import { type AddressInfo, connect, createServer as createLine } from 'node:net'
import { text } from 'node:stream/consumers'
import { once } from 'node:events'
import { startServiceProcess, temporaryFolder, type Cleaner } from '../support/service.ts'
import { readStored } from '../support/stored.ts'
import { consult } from '../support/consult.ts'

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

type Heard = {
  method: string
  path: string
  headers: IncomingHttpHeaders
  body: string
}

type StandIn = { url: string; heard: Heard[] }

/** `reply` is told how many requests came before this one. */
async function startStandIn(
  t: Cleaner,
  reply: (response: ServerResponse, heard: Heard, before: number) => unknown,
): Promise<StandIn> {
  const heard: Heard[] = []
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      const { method = '', url: path = '', headers } = request
      const one = { method, path, headers, body }
      heard.push(one)
      return reply(response, one, heard.length - 1)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => {
    server.close()
    server.closeAllConnections()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, heard }
}

function answerJson(
  response: ServerResponse,
  status: number,
  value: unknown,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers })
  response.end(JSON.stringify(value))
}

type FlakyLine = { url: string; attempts: number }

async function openFlakyLine(t: Cleaner, siteUrl: string): Promise<FlakyLine> {
  const port = Number(new URL(siteUrl).port)
  const line = { url: '', attempts: 0 }
  const server = createLine((client) => {
    line.attempts += 1
    client.on('error', () => {})
    if (line.attempts === 1) return client.destroy()
    const site = connect(port, '127.0.0.1')
    site.on('error', () => client.destroy())
    client.pipe(site)
    if (line.attempts === 2) site.once('data', () => client.resetAndDestroy())
    else site.pipe(client)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  line.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return line
}
