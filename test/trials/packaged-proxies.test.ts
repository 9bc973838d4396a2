/** The service behind nginx and Caddy with the files of packaging/, over TLS. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect as connectHttp2 } from 'node:http2'
import { Agent, request } from 'node:https'
import { networkInterfaces } from 'node:os'
import test from 'node:test'
import { maxBodyBytes } from '../../src/contract/limits.ts'
import { holdSocket } from '../support/held-socket.ts'
import { isInstalled, proxies } from '../support/proxies.ts'
import { startServiceProcess, temporaryFolder } from '../support/service.ts'
import { readStored } from '../support/stored.ts'
import { until } from '../support/until.ts'

const restarts = Number(process.env['STORY_PROXY_RESTARTS'] ?? 1)
const connections = 8

const loopback = '127.0.0.1'
/** Not loopback, where there is another: so the address of a client differs from that of the proxy. */
const host =
  Object.values(networkInterfaces())
    .flat()
    .find((each) => each?.family === 'IPv4' && !each.internal)?.address ?? loopback

for (const { name, start } of proxies) {
  const skip = !isInstalled(name) && `${name} is not installed`
  test(`behind ${name} as packaged: addresses, limits, secrets, restarts`, { skip }, async (t) => {
    const socket = holdSocket(t)
    const dataDir = temporaryFolder(t)
    const startService = (RATE_LIMIT = 'off') =>
      startServiceProcess({
        dataDir,
        env: { LISTEN_FD: '3', BASE_URL: 'https://localhost', RATE_LIMIT },
        stdio: ['ignore', 'pipe', 'pipe', socket.fd],
      })
    let service = await startService()
    t.after(() => service.stop('SIGKILL'))
    const proxy = await start(t, socket.port)
    const agent = new Agent({ keepAlive: true, maxSockets: connections })
    t.after(() => agent.destroy())
    const ask = (path: string, sent: Sent = {}) =>
      askTls({ port: proxy.port, agent, path, ...sent })
    let count = 0
    const send = (headers = {}, at = host) => {
      const lead = { name_1: 'Robin', email_1: `robin-${(count += 1)}@example.com` }
      return ask('/api/lead', { at, headers, body: JSON.stringify(lead) })
    }

    assert.equal(await statusByHttp2(proxy.port), 200)
    assert.equal((await ask('/readyz')).status, 404)
    const tooLong = await ask('/api/lead', {
      body: JSON.stringify({ name_1: 'x'.repeat(maxBodyBytes) }),
    })
    assert.equal(tooLong.status, 413)
    assert.match(tooLong.body, /"PAYLOAD_TOO_LARGE"/)

    const first = await send({ 'X-Forwarded-For': '203.0.113.9' })
    const { receipt_token: token } = JSON.parse(first.body) as { receipt_token: string }
    assert.equal((await ask(`/receipt/${token}`)).status, 200)
    assert.equal((await send({}, loopback)).status, 200)
    await ask(`/inbox/link/${secret}?once=${secret}`)

    const statuses: number[] = []
    const over = new AbortController()
    const senders = Array.from({ length: connections }, async () => {
      while (!over.signal.aborted) statuses.push((await send()).status)
    })
    for (let restart = 0; restart < restarts; restart += 1) {
      const before = statuses.length
      await until(() => statuses.length > before + 200, 'leads go through')
      await service.stop()
      service = await startService()
    }
    over.abort()
    await Promise.all(senders)
    assert.deepEqual(new Set(statuses), new Set([200]))

    await service.stop()
    service = await startService('1000,3')
    const limited: number[] = []
    for (let forged = 1; forged <= 4; forged += 1) {
      limited.push((await send({ 'X-Forwarded-For': `203.0.113.${forged}` })).status)
    }
    assert.deepEqual(limited, [200, 200, 200, 429])
    await service.stop()

    const { leads } = readStored(`${dataDir}/leads.sqlite`)
    assert.equal(leads.length, statuses.length + 5)
    assert.equal(new Set(leads.map(({ client }) => client)).size, host === loopback ? 1 : 2)
    t.diagnostic(JSON.stringify({ story: name, restarts, leads: leads.length, failed: 0 }))
    await until(() => proxy.log().includes('/api/lead'), 'the proxy has logged')
    for (const hidden of [secret, token, 'robin', host]) {
      assert.ok(!proxy.log().includes(hidden), `${hidden} is in the log of ${name}`)
    }
  })
}

const secret = 'mT3nQ8vXc5'

type Sent = { at?: string; headers?: object; body?: string }
type Asked = Sent & { port: number; agent: Agent; path: string }

async function askTls({ at = host, port, agent, path, headers, body }: Asked) {
  const asking = request({
    host: at,
    port,
    path,
    agent,
    servername: 'localhost',
    rejectUnauthorized: false,
    method: body === undefined ? 'GET' : 'POST',
    headers: {
      Host: `localhost:${port}`,
      Accept: 'application/json',
      'Content-Type': 'application/json',
      ...headers,
    },
  })
  asking.end(body)
  const [answer] = await once(asking, 'response')
  let text = ''
  for await (const chunk of answer) text += String(chunk)
  return { status: answer.statusCode as number, body: text }
}

async function statusByHttp2(port: number): Promise<number> {
  const session = connectHttp2(`https://${host}:${port}`, {
    servername: 'localhost',
    rejectUnauthorized: false,
  })
  const stream = session.request({ ':path': '/', ':authority': `localhost:${port}` })
  const [headers] = (await once(stream, 'response')) as [{ ':status': number }]
  session.destroy()
  return headers[':status']
}
