import assert from 'node:assert/strict'
import { connect } from 'node:net'
import test from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { readFileSync } from 'node:fs'
import { clientLimits } from '../../src/contract/limits.ts'
import { receivedReference } from '../support/load.ts'
import { startServiceProcess, temporaryFolder, residentMb } from '../support/service.ts'
import { startServiceHere } from '../support/service-here.ts'
import { until, patienceMs } from '../support/until.ts'
import {
  askOnce,
  askUntilServed,
  getRequest,
  jsonRequest,
  openWire,
  type Wire,
} from '../support/wire.ts'

/** Some files stay for everything else. */
const wanted = process.env['STORY_SLOW_CLIENTS']
const slowClients = Math.min(Number(wanted ?? 300), mostOpenFiles() - 200)
/** Only where there are many of them does the memory of a process say something, and need its own files. */
const isTrial = wanted !== undefined
const ordinaryClients = 50
/** What each kind sends first; then one byte a second, except for the idle ones. */
const kinds = {
  idle: '',
  'slow headers': 'POST /api/lead HTTP/1.1\r\nHost: localhost\r\nX-Slow: ',
  'slow body':
    'POST /api/lead HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{',
} as const

/** Answered without the database, so that a slow disk changes nothing. */
const question = getRequest('/no-such-page/')

test('hundreds of slow clients are shed while everybody else is served [edge.slow]', async (t) => {
  const place = { dataDir: temporaryFolder(t) }
  const service = isTrial ? await startServiceProcess(place) : await startServiceHere(t, place)
  t.after(() => service.stop())
  const { pid } = 'process' in service ? service.process : process
  const names = Object.keys(kinds) as (keyof typeof kinds)[]
  const heldMs = { idle: 0, 'slow headers': 0, 'slow body': 0 }
  const othersServed = new AbortController()
  let shed = 0
  let mostMegabytes = 0
  const slow = Array.from({ length: slowClients }, async (_, index) => {
    // Not all in one instant: the queue of the listener is finite for anybody.
    await sleep(Math.floor(index / 100) * 20)
    const kind = names[index % names.length]!
    // One that was shed comes again, so that the others are served beside the whole crowd.
    do {
      heldMs[kind] = Math.max(heldMs[kind], await holdOn(service.port, kinds[kind]))
      shed += 1
    } while (!othersServed.signal.aborted)
  })
  const watch = setInterval(() => {
    mostMegabytes = Math.max(mostMegabytes, residentMb(pid!))
  }, 250)
  const others = askAsOthersDo(service.port).finally(() => othersServed.abort())
  await Promise.all([others, ...slow]).finally(() => clearInterval(watch))

  const counts = { slowClients, shed, ordinaryClients }
  t.diagnostic(JSON.stringify({ story: 'slow clients', ...counts, heldMs, mostMegabytes }))
  const ended = await service.stop()
  if (isTrial) assert.equal(ended, 0)
})

test('connections past the cap of one address are closed at once, and its neighbours are served [edge.address]', async (t) => {
  const service = await startServiceHere(t, {
    dataDir: temporaryFolder(t),
    env: { TRUSTED_PROXIES: '127.0.0.9' },
  })
  const wires: Wire[] = []
  t.after(() => wires.forEach((wire) => wire.close()))
  // The connection stays open.
  const askFrom = async (localAddress: string) => {
    const wire = await openWire(service.port, { localAddress })
    wires.push(wire)
    return (await wire.ask(question)).status
  }
  const greedy = await Promise.allSettled(Array.from({ length: 100 }, () => askFrom('127.0.0.5')))
  const served = greedy.filter(({ status }) => status === 'fulfilled').length
  // These ask nothing, for which a connection is closed after a while.
  const calm = await openWire(service.port, { localAddress: '127.0.0.6' })
  const oneMore = await openWire(service.port, { localAddress: '127.0.0.5' })
  wires.push(calm, oneMore)
  await until(() => !oneMore.isOpen(), 'one more is closed')
  assert.equal(calm.isOpen(), true)
  const neighbour = await askFrom('127.0.0.6')
  const proxied = await Promise.all(Array.from({ length: 80 }, () => askFrom('127.0.0.9')))

  t.diagnostic(JSON.stringify({ story: 'cap per address', opened: greedy.length, served }))
  assert.equal(served, clientLimits.perAddress)
  assert.equal(neighbour, 404)
  assert.deepEqual(new Set(proxied), new Set([404]))
  for (const wire of wires) wire.close()
  const askAgain = () => askOnce(service.port, question, { localAddress: '127.0.0.5' })
  await until(
    () =>
      askAgain().then(
        ({ status }) => status === 404,
        () => false,
      ),
    'a place that was given back is free',
  )
})

/** Resolves with the time it was held, when the service has ended the connection. */
function holdOn(port: number, first: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1')
    let drip: NodeJS.Timeout | undefined
    let startedAt: number | undefined
    const hangs = setTimeout(() => socket.destroy(new Error('never shed')), patienceMs)
    socket.on('connect', () => {
      startedAt = performance.now()
      if (first === '') return
      socket.write(first)
      drip = setInterval(() => socket.write('x'), 1_000)
    })
    // Reads what comes, so that the end is seen.
    socket.on('data', () => {})
    socket.on('error', (error: NodeJS.ErrnoException) => {
      // What it was sending when the service closed it may be answered by a reset.
      if (startedAt === undefined || error.code === undefined) reject(error)
    })
    socket.on('close', () => {
      clearInterval(drip)
      clearTimeout(hangs)
      resolve(Math.round(performance.now() - startedAt!))
    })
  })
}

/** Ordinary clients: each sends a lead and asks for health. Rejects where one is not served. */
async function askAsOthersDo(port: number): Promise<void> {
  for (let client = 0; client < ordinaryClients; client += 1) {
    const wire = await openWire(port)
    const lead = { name_1: 'Sam', email_1: `ordinary-${client}@example.com` }
    const answer = await askUntilServed(() => wire.ask(jsonRequest(lead)))
    assert.ok(receivedReference(answer), `answered ${answer.status}`)
    const health = await askUntilServed(() => wire.ask(getRequest('/api/lead')))
    assert.equal(health.status, 200)
    wire.close()
    await sleep(20)
  }
}

/** Node raises its own limit to the hard one at start. */
function mostOpenFiles(): number {
  const [, hard] = /^Max open files +\S+ +(\d+)/m.exec(readOr('/proc/self/limits', '')) ?? []
  return Number(hard ?? 1024)
}

function readOr(path: string, otherwise: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return otherwise
  }
}
