/**
 * What a lead of somebody else costs while one client floods: CPU of the service's main thread from its
 * sending to its answer, so that a busy machine hardly changes it.
 */
import assert from 'node:assert/strict'
import { Agent, request } from 'node:https'
import { once } from 'node:events'
import test, { type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { startFlood, type Flood } from '../support/flood.ts'
import { isInstalled, startNginx } from '../support/nginx.ts'
import {
  mainThreadCpuMs,
  residentMb,
  startFlags,
  startServiceProcess,
  temporaryFolder,
} from '../support/service.ts'
import { askOnce, getRequest, jsonRequest } from '../support/wire.ts'
import { readStored } from '../support/stored.ts'

const floodMs = Number(process.env['STORY_FLOOD_SECONDS'] ?? 1) * 1_000
/** Speed is asserted only where somebody asked for it. */
const isJudged = process.env['STORY_FLOOD_SECONDS'] !== undefined
const mostCpuMs = 500
const mostMegabytes = 300

const neighbour = '127.0.6.1'
const addresses = (count: number) => Array.from({ length: count }, (_, n) => `127.0.7.${n + 1}`)

type Case = { what: string; isSlow?: boolean } & Pick<Flood, 'kind' | 'connections' | 'addresses'>

const cases: Case[] = [
  { what: 'sixteen GETs and leave', kind: 'and leave', connections: 60, addresses: addresses(1) },
  { what: 'sixteen GETs and read', kind: 'and read', connections: 64, addresses: addresses(1) },
  { what: 'bodies of single bytes', kind: 'in chunks', connections: 64, addresses: addresses(1) },
  { what: 'a lead and reset', kind: 'and reset', connections: 60, addresses: addresses(1) },
  // Of eight clients only the memory is promised.
  {
    what: 'sixteen GETs and leave',
    kind: 'and leave',
    connections: 60,
    addresses: addresses(8),
    isSlow: true,
  },
]

for (const { what, isSlow = false, ...flood } of cases) {
  const who = `${flood.addresses!.length} x ${flood.connections}`
  test(`on a bare port, ${who} connections: ${what}`, async (t) => {
    const { port, pid, stop } = await start(t, { TRUSTED_PROXIES: '10.0.0.1' })
    const send = async (lead: string) =>
      (await askOnce(port, lead, { localAddress: neighbour })).status
    for (let n = 0; n < 20; n += 1) await askOnce(port, getRequest('/contact/'))
    const figures = await measure(pid, { port, ...flood }, send)
    const kept = await stop()
    report(t, { story: 'bare port', what, who, ...figures, ...kept }, isSlow)
    // Nobody knows who sent those that were reset before they were accepted.
    assert.equal(kept.unlimited, 0)
  })

  if (flood.kind === 'and reset') continue
  const skip = !isInstalled('nginx') && 'nginx is not installed'
  test(`behind nginx, ${who} connections: ${what}`, { skip }, async (t) => {
    const { port, pid, stop } = await start(t, { BASE_URL: 'https://localhost' })
    const proxy = await startNginx(t, port)
    const agent = new Agent({ rejectUnauthorized: false, localAddress: neighbour })
    const send = async (lead: string) => {
      const body = lead.slice(lead.indexOf('\r\n\r\n') + 4)
      const to = { host: '127.0.0.1', port: proxy.port, path: '/api/lead', agent, method: 'POST' }
      const headers = { Host: 'localhost', 'Content-Type': 'application/json' }
      const asking = request({ ...to, headers })
      asking.end(body)
      const [answer] = await once(asking, 'response')
      answer.resume()
      return answer.statusCode as number
    }
    const figures = await measure(pid, { port: proxy.port, isTls: true, ...flood }, send)
    report(t, { story: 'behind nginx', what, who, ...figures, ...(await stop()) }, isSlow)
  })
}

async function start(t: TestContext, env: Record<string, string>) {
  const dataDir = temporaryFolder(t)
  const service = await startServiceProcess({
    dataDir,
    env: { NODE_OPTIONS: startFlags.join(' '), RATE_LIMIT: '20,100000', ...env },
  })
  t.after(() => service.stop('SIGKILL'))
  const stop = async () => {
    assert.equal(await service.stop(), 0)
    const { leads } = readStored(`${dataDir}/leads.sqlite`)
    const flooding = leads.filter(({ values }) => values.name === 'Kim')
    // The first twenty of an address are new, and further ones are held.
    const unlimited = flooding.filter(({ state }) => state === 'new').slice(20).length
    return { flooding: flooding.length, unlimited }
  }
  return { port: service.port, pid: service.process.pid!, stop }
}

/** Sends one lead after the other during the flood, and one at its end. */
async function measure(pid: number, flood: Flood, send: (lead: string) => Promise<number>) {
  const cpuMs = () => mainThreadCpuMs(pid)
  const costs: number[] = []
  const statuses: Record<string, number> = {}
  const sendOne = async () => {
    const before = cpuMs()
    const sent = { name_1: 'Sam', email_1: `sam-${costs.length}@example.com` }
    const status = await send(jsonRequest(sent)).catch((error: Error) => error.message)
    statuses[status] = (statuses[status] ?? 0) + 1
    costs.push(Math.round(cpuMs() - before))
  }
  let megabytes = residentMb(pid)
  const watch = setInterval(() => (megabytes = Math.max(megabytes, residentMb(pid))), 50)
  const running = startFlood({ ...flood, longestMs: 2 * floodMs + 60_000 })
  for (const endsAt = performance.now() + floodMs; performance.now() < endsAt;) {
    await sendOne()
    await sleep(20)
  }
  const { opened } = await running.stop()
  const atEnd = cpuMs()
  await sendOne()
  let last = atEnd
  // Done once it has used next to nothing in a while.
  for (let now = cpuMs(); now - last > 20; now = cpuMs()) {
    last = now
    await sleep(300)
  }
  clearInterval(watch)
  const sorted = costs.toSorted((a, b) => a - b)
  return {
    opened,
    statuses,
    p50CpuMs: sorted[sorted.length >> 1]!,
    mostCpuMs: sorted.at(-1)!,
    cpuMsAfter: Math.round(cpuMs() - atEnd),
    megabytes,
  }
}

type Figures = Awaited<ReturnType<typeof measure>>

function report(t: TestContext, figures: Figures & Record<string, unknown>, isSlow: boolean): void {
  t.diagnostic(JSON.stringify(figures))
  assert.deepEqual(Object.keys(figures.statuses), ['200'], 'every lead of others is taken')
  if (!isJudged) return
  assert.ok(figures.megabytes < mostMegabytes, `${figures.megabytes} MB`)
  if (!isSlow) assert.ok(figures.mostCpuMs < mostCpuMs, `${figures.mostCpuMs} ms`)
}
