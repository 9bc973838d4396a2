/** A proxy on the same machine must not make everybody a tool on this machine. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, request as askOnward, type OutgoingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import test from 'node:test'
import { leadIntake } from '../support/operator.ts'
import { startServiceProcess, temporaryFolder, type Cleaner } from '../support/service.ts'
import { askOnce, getRequest, jsonRequest } from '../support/wire.ts'

/** What nginx sends for a bare `proxy_pass http://127.0.0.1:3000` (1.22; seen on the wire). */
function asNginx(request: string, port: number): string {
  return request
    .replace(' HTTP/1.1\r\n', ' HTTP/1.0\r\n')
    .replace('Host: localhost\r\n', `Host: 127.0.0.1:${port}\r\nConnection: close\r\n`)
}

test('through nginx with a bare proxy_pass people are limited, and /readyz is not there', async (t) => {
  const env = { RATE_LIMIT: '20,2' }
  const service = await startServiceProcess({ dataDir: temporaryFolder(t), env })
  t.after(() => service.stop('SIGKILL'))
  const ask = async (request: string) => (await askOnce(service.port, request)).status
  const lead = jsonRequest({ name_1: 'Sam', email_1: 'sam@example.com' })

  assert.equal(await ask(getRequest('/readyz')), 200)
  assert.equal(await ask(asNginx(getRequest('/readyz'), service.port)), 404)
  for (const name of ['X-Forwarded-For', 'Forwarded', 'Via', 'X-Real-IP']) {
    assert.equal(await ask(getRequest('/readyz', { [name]: 'for=203.0.113.9' })), 404, name)
  }
  const proxied = asNginx(lead, service.port)
  const statuses = [await ask(proxied), await ask(proxied), await ask(proxied)]
  assert.equal(statuses.at(-1), 429)
  assert.notEqual(await ask(lead), 429)
})

test('doctor finds a proxy that makes everybody local, and says how to set it', async (t) => {
  const dataDir = temporaryFolder(t)
  const service = await startServiceProcess({ dataDir })
  t.after(() => service.stop('SIGKILL'))
  const host = `127.0.0.1:${service.port}`
  const findProxy = async (headers: OutgoingHttpHeaders) => {
    const port = await openProxy(t, service.port, headers)
    // An address that is not loopback, but is answered by this machine.
    const BASE_URL = `http://0.0.0.0:${port}`
    const { out } = await leadIntake({ dataDir }, ['doctor', '--json'], { BASE_URL })
    const findings = JSON.parse(out) as { check: string; result: string; words: string }[]
    assert.match(findings.find(({ check }) => check === 'address')!.words, /has no https/)
    return findings.find(({ check }) => check === 'proxy')!
  }
  const bare = await findProxy({ host })
  assert.equal(bare.result, 'failed')
  assert.match(bare.words, /proxy_set_header X-Forwarded-For \$remote_addr; .*TRUSTED_PROXIES/)
  const right = await findProxy({ host, 'x-forwarded-for': '203.0.113.9' })
  assert.equal(right.result, 'ok')
})

/** Passes requests on by HTTP/1.1, with these headers alone. */
async function openProxy(t: Cleaner, to: number, headers: OutgoingHttpHeaders): Promise<number> {
  const proxy = createServer(({ method, url }, response) => {
    const onward = { host: '127.0.0.1', port: to, method, path: url, headers, agent: false }
    askOnward(onward, (answer) => {
      response.writeHead(answer.statusCode!)
      answer.pipe(response)
    }).end()
  })
  proxy.listen(0, '0.0.0.0')
  await once(proxy, 'listening')
  t.after(() => proxy.close())
  return (proxy.address() as AddressInfo).port
}
