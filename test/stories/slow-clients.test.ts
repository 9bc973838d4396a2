/** Clients that hold connections and send nothing, or a byte a second, cannot keep others out. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { connect } from 'node:net'
import test from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { receivedReference } from '../support/load.ts'
import { startServiceProcess, temporaryFolder } from '../support/service.ts'
import { askOnce, getRequest, jsonRequest, openWire } from '../support/wire.ts'
import type { Wire } from '../support/wire.ts'

const slowClients = Number(process.env['STORY_SLOW_CLIENTS'] ?? 5_000)
/** Far longer than the service has; how long each kind was held is told. */
const patienceMs = 60_000

/** What each kind says at first; then one byte a second, but for the idle ones. */
const kinds = {
  idle: '',
  'slow headers': 'POST /api/lead HTTP/1.1\r\nHost: localhost\r\nX-Slow: ',
  'slow body':
    'POST /api/lead HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{',
} as const

test('thousands of slow clients are shed while everybody else is served', async (t) => {
  const service = await startServiceProcess({ dataDir: temporaryFolder(t) })
  t.after(() => service.stop('SIGKILL'))
  const others = keepAsking(service.port)
  const names = Object.keys(kinds) as (keyof typeof kinds)[]
  const heldMs = { idle: 0, 'slow headers': 0, 'slow body': 0 }
  let shed = 0
  let mostMegabytes = 0
  const slow = Array.from({ length: slowClients }, async (_, index) => {
    // Not all in one instant: the queue of the listener is finite for anybody.
    await sleep(Math.floor(index / 100) * 20)
    const kind = names[index % names.length]!
    const ms = await holdOn(service.port, kinds[kind])
    if (ms === undefined) return
    shed += 1
    heldMs[kind] = Math.max(heldMs[kind], ms)
  })
  const watch = setInterval(() => {
    mostMegabytes = Math.max(mostMegabytes, residentMegabytes(service.process.pid!))
  }, 250)
  await Promise.all(slow)
  clearInterval(watch)
  const { asked, failures } = await others.stop()

  t.diagnostic(
    JSON.stringify({
      story: 'slow clients',
      slowClients,
      shed,
      heldMs,
      mostMegabytes,
      asked,
      failed: failures.length,
    }),
  )
  assert.equal(shed, slowClients)
  assert.deepEqual(failures, [])
  assert.ok(asked > 100, 'hardly anybody else asked')
  assert.equal(await service.stop(), 0)
})

test('a crowd that comes while the service is held up is let in, all of it', async (t) => {
  const service = await startServiceProcess({ dataDir: temporaryFolder(t) })
  t.after(() => service.stop('SIGKILL'))
  const { port } = service
  service.process.kill('SIGSTOP')
  const wires = await Promise.all(Array.from({ length: 1_000 }, () => openWire(port)))
  service.process.kill('SIGCONT')
  const answers = await Promise.all(wires.map((wire) => wire.ask(getRequest('/api/lead'))))
  for (const wire of wires) wire.close()
  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]))
})

test('connections past the cap of one address are closed at once, and its neighbours are served', async (t) => {
  const service = await startServiceProcess({
    dataDir: temporaryFolder(t),
    env: { TRUSTED_PROXIES: '127.0.0.9', MAX_CONNECTIONS_PER_ADDRESS: '20' },
  })
  t.after(() => service.stop('SIGKILL'))
  const greedy = { localAddress: '127.0.0.5' }
  const wires = await Promise.all(Array.from({ length: 60 }, () => openWire(service.port, greedy)))
  const asks = await Promise.allSettled(wires.map((wire) => wire.ask(getRequest('/api/lead'))))
  const served = asks.filter(({ status }) => status === 'fulfilled').length
  const neighbour = await askOnce(service.port, getRequest('/api/lead'), {
    localAddress: '127.0.0.6',
  })
  const proxied = await Promise.all(
    Array.from({ length: 30 }, () => openWire(service.port, { localAddress: '127.0.0.9' })),
  )
  const proxiedAnswers = await Promise.all(proxied.map((wire) => wire.ask(getRequest('/api/lead'))))
  for (const wire of [...wires, ...proxied]) wire.close()
  await sleep(200)
  const again = await askOnce(service.port, getRequest('/api/lead'), greedy)

  t.diagnostic(JSON.stringify({ story: 'cap per address', opened: wires.length, served, cap: 20 }))
  assert.equal(served, 20)
  assert.equal(neighbour.status, 200)
  assert.deepEqual(new Set(proxiedAnswers.map(({ status }) => status)), new Set([200]))
  assert.equal(again.status, 200, 'a place that was given back stayed taken')
})

/** Resolves, when the service has ended the connection, with the time it was held; `undefined`: not in time. */
function holdOn(port: number, first: string): Promise<number | undefined> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    let drip: NodeJS.Timeout | undefined
    let startedAt = 0
    const giveUp = setTimeout(() => finish(undefined), patienceMs)
    socket.on('connect', () => {
      startedAt = performance.now()
      if (first === '') return
      socket.write(first)
      drip = setInterval(() => socket.write('x'), 1_000)
    })
    // Reads what comes, so that the end is seen.
    socket.on('data', () => {})
    socket.on('error', () => {})
    socket.on('close', () => finish(Math.round(performance.now() - startedAt)))

    function finish(ms: number | undefined): void {
      clearInterval(drip)
      clearTimeout(giveUp)
      socket.destroy()
      resolve(ms)
    }
  })
}

/** An ordinary client: a lead, a health check and a page, one after the other, every 20 ms. */
function keepAsking(port: number) {
  const failures: string[] = []
  let asked = 0
  const ending = new AbortController()
  const done = (async () => {
    let wire: Wire | undefined
    while (!ending.signal.aborted) {
      // A new connection now and then, as other people would make.
      if (asked % 10 === 0) {
        wire?.close()
        wire = undefined
      }
      try {
        wire ??= await openWire(port)
        await askAsPeopleDo(wire, asked)
      } catch (error) {
        failures.push(String(error))
        wire = undefined
      }
      asked += 1
      await sleep(20)
    }
    wire?.close()
  })()
  return {
    async stop() {
      ending.abort()
      await done
      return { asked, failures }
    },
  }
}

async function askAsPeopleDo(wire: Wire, number: number): Promise<void> {
  const email = `ordinary-${number}@example.com`
  const answer = await wire.ask(jsonRequest({ name_1: 'Sam', email_1: email }))
  assert.ok(receivedReference(answer), `answered ${answer.status}`)
  assert.equal((await wire.ask(getRequest('/api/lead'))).status, 200)
}

function residentMegabytes(pid: number): number {
  const [, kilobytes] = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return Math.round(Number(kilobytes) / 1024)
}
