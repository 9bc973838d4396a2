/** Bodies that are made to be expensive: each gets an answer of bounded size, and none takes the service down or holds it up. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import test from 'node:test'
import { fileURLToPath } from 'node:url'
import { hostileBody, seeded, type HostileBody } from '../support/hostile-bodies.ts'
import { startServiceProcess, temporaryFolder, type RunningService } from '../support/service.ts'
import { openWire, postRequest, type Wire } from '../support/wire.ts'

const wanted = process.env['STORY_HOSTILE']
/** Each kind once, unless more are wanted. */
const bodies = Number(wanted ?? 45)
const mostCpuMs = 30
/** A busy machine or the garbage collector may make a cheap body look dear, but not every time. */
const suspiciousMs = 10
const triesOfSuspicious = 8

/** Of a lead, 16 KiB of unlisted fields and a message of 10,000 characters may come back, escaped. */
const mostAnswerBytes = 128 * 1024

test('no hostile body is dear, makes a fault or gets a long answer, within the limits or past them [edge.hostile]', async (t) => {
  const preload = fileURLToPath(new URL('../support/cpu-meter.ts', import.meta.url))
  const service = await startServiceProcess({
    dataDir: temporaryFolder(t),
    // The second request of each address is past the limit.
    env: { RATE_LIMIT: '1000000,1', NODE_OPTIONS: `--require="${preload}"` },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  t.after(() => service.stop('SIGKILL'))
  const sender = createSender(service)
  const random = seeded(13)
  const faults: string[] = []
  const dearest: Record<string, number> = {}
  let largest = { bytes: 0, what: '' }
  for (let n = 0; n < bodies; n += 1) {
    const hostile = hostileBody(n, random)
    const least = { served: Infinity, limited: Infinity }
    for (let tries = 0; tries < triesOfSuspicious; tries += 1) {
      for (const { as, ms, status, bytes } of await sender.sendTwice(hostile)) {
        least[as] = Math.min(least[as], ms)
        if (status >= 500) faults.push(`${status} for ${hostile.what}`)
        if (bytes > largest.bytes) largest = { bytes, what: hostile.what }
      }
      if (Math.max(least.served, least.limited) <= suspiciousMs) break
    }
    for (const [as, ms] of Object.entries(least)) {
      const what = `${hostile.what}, ${as}`
      dearest[what] = Math.max(dearest[what] ?? 0, ms)
    }
  }
  sender.close()
  const byCost = Object.entries(dearest).sort(([, a], [, b]) => b - a)
  const dearestMs = Object.fromEntries(byCost.slice(0, 5))
  const counts = { bodies, faults: faults.length, largest, dearestMs }
  t.diagnostic(JSON.stringify({ story: 'hostile bodies', ...counts }))
  assert.deepEqual(faults, [])
  assert.ok(largest.bytes <= mostAnswerBytes, JSON.stringify(largest))
  assert.equal(service.process.exitCode, null)
  // Speed is asserted only where somebody asked for it.
  if (wanted !== undefined) assert.ok(byCost[0]![1] <= mostCpuMs, JSON.stringify(dearestMs))
})

type Sent = { as: 'served' | 'limited'; status: number; bytes: number; ms: number }

/** Sends each body twice from an address of its own, and tells the CPU time that each took. */
function createSender(service: RunningService) {
  let wire: Wire | undefined
  let addresses = 0

  return {
    close: () => wire?.close(),
    async sendTwice(hostile: HostileBody): Promise<Sent[]> {
      addresses += 1
      const network = `2001:db8:${(addresses >> 16).toString(16)}:${(addresses & 0xffff).toString(16)}`
      return [
        { as: 'served', ...(await send(hostile, `${network}::1`)) },
        { as: 'limited', ...(await send(hostile, `${network}::2`)) },
      ]
    },
  }

  async function send({ path, headers, body }: HostileBody, from: string) {
    if (!wire?.isOpen()) wire = await openWire(service.port)
    const request = postRequest(body, { ...headers, 'X-Forwarded-For': from }, path)
    const before = await usedMs()
    const answer = await wire.ask(request)
    const ms = (await usedMs()) - before
    return { status: answer.status, bytes: Number(answer.headers['content-length'] ?? 0), ms }
  }

  async function usedMs(): Promise<number> {
    const told = once(service.process, 'message')
    service.process.send('how much?')
    const [microseconds] = (await told) as [number]
    return microseconds / 1_000
  }
}
