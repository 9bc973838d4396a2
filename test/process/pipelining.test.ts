import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import test, { after, before } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { fills, startFlood, type Fill } from '../support/flood.ts'
import { receivedReference } from '../support/load.ts'
import { patienceMs } from '../support/until.ts'
import { startServiceProcess, temporaryFolder, startFlags, residentMb } from '../support/service.ts'
import { startServiceHere } from '../support/service-here.ts'
import {
  askOnce,
  askUntilServed,
  getRequest,
  jsonRequest,
  openWire,
  type Wire,
} from '../support/wire.ts'

const wanted = process.env['STORY_NON_READERS']
const nonReaders = Number(wanted ?? 6)
const others = 4
/** Each attack lasts so long. A number of leads would be too many for a slow machine. */
const floodMs = wanted === undefined ? 500 : 20_000

/** One service for the floods: the memory that one takes counts for the next, too. */
const floodedDir = temporaryFolder({ after })
let watched: Watched
/** They begin first, because they are held for long: how long each was held. */
let holding: Promise<number[]>
before(async () => {
  watched = await startWatched()
  const clients = Array.from({ length: nonReaders }, () => askAndNeverRead(watched.service.port))
  holding = Promise.all(clients)
  // Their failure is told by their test.
  holding.catch(() => {})
})
after(() => watched.end('SIGKILL'))

for (const kind of Object.keys(fills) as Fill[]) {
  test(`leads are taken beside connections that flood ${kind} [edge.pipelined]`, async (t) => {
    const { service, mostMegabytes } = watched
    const earlier = countLeads(floodedDir)
    await askOnce(service.port, getRequest('/contact/'))
    const flood = startFlood({ port: service.port, kind, connections: nonReaders })
    t.after(() => flood.stop())
    const times = await sendLeads(service.port, kind, AbortSignal.timeout(floodMs))
    await flood.stop()
    const sorted = times.toSorted((a, b) => a - b)
    const figures = {
      leads: sorted.length,
      p50Ms: Math.round(sorted[sorted.length >> 1]!),
      mostMs: Math.round(sorted.at(-1)!),
      mostMegabytes: mostMegabytes(),
    }
    t.diagnostic(JSON.stringify({ story: `flood ${kind}`, connections: nonReaders, ...figures }))
    const kept = countLeads(floodedDir) - earlier
    assert.equal(kept, sorted.length, 'every acknowledged lead is kept once')
    assert.ok(figures.mostMegabytes < 300, `${figures.mostMegabytes} MB`)
  })
}

test('clients that ask and do not read are closed, and cost little memory [edge.unread]', async (t) => {
  const { end, mostMegabytes } = watched
  const heldMs = await holding
  const counts = { nonReaders, longestHeldMs: Math.max(...heldMs), mostMegabytes: mostMegabytes() }
  t.diagnostic(JSON.stringify({ story: 'non-readers', ...counts }))
  assert.ok(mostMegabytes() < 300, `${mostMegabytes()} MB`)
  assert.equal(await end('SIGTERM'), 0)
})

test('sixteen requests that are sent together are all answered, in order, however their bytes arrive', async (t) => {
  const service = await startServiceHere(t, { dataDir: temporaryFolder(t) })
  const asks = Array.from({ length: 16 }, (_, index) => askNumber(index))
  const bytes = Buffer.from(asks.map(({ request }) => request).join(''))
  for (const pieceBytes of [bytes.length, 701, 83]) {
    const wire = await openWire(service.port)
    const sent = sendInPieces(wire, bytes, pieceBytes)
    const answers: string[] = []
    while (answers.length < asks.length) {
      const { status, body } = await wire.ask('')
      answers.push(body.includes('"reference"') ? `${status} lead` : `${status}`)
    }
    await sent
    wire.close()
    assert.deepEqual(
      answers,
      asks.map(({ expected }) => expected),
      `in pieces of ${pieceBytes} bytes`,
    )
  }
})

test('a connection that sends more at once is closed, and every lead it was thanked for is kept', async (t) => {
  const dataDir = temporaryFolder(t)
  const service = await startServiceHere(t, { dataDir })
  const wire = await openWire(service.port)
  const closed = once(wire.socket, 'close')
  let acknowledged = 0
  const thanked = async () => {
    while (receivedReference(await wire.ask('')) !== undefined) acknowledged += 1
  }
  wire.socket.write(Array.from({ length: 300 }, (_, index) => lead(`${index}`)).join(''))
  await assert.rejects(thanked())
  await closed
  const later = await openWire(service.port)
  assert.ok(receivedReference(await askUntilServed(() => later.ask(lead('after')))))
  later.close()
  const kept = countLeads(dataDir) - 1
  t.diagnostic(JSON.stringify({ story: 'too many at once', sent: 300, kept, acknowledged }))
  assert.ok(acknowledged <= kept && kept <= 64, `${acknowledged} thanked, ${kept} kept`)
})

type Watched = Awaited<ReturnType<typeof startWatched>>

async function startWatched() {
  const service = await startServiceProcess({
    dataDir: floodedDir,
    env: { NODE_OPTIONS: startFlags.join(' ') },
  })
  const megabytes: number[] = []
  const look = () => megabytes.push(residentMb(service.process.pid!))
  const watch = setInterval(look, 100)
  look()
  const end = (signal: NodeJS.Signals) => {
    clearInterval(watch)
    return service.stop(signal)
  }
  return { service, end, mostMegabytes: () => Math.max(...megabytes) }
}

function countLeads(dataDir: string): number {
  const db = new DatabaseSync(join(dataDir, 'leads.sqlite'), { readOnly: true })
  try {
    return Number(db.prepare('select count(*) as n from lead').get()?.['n'])
  } finally {
    db.close()
  }
}

/** Asks calmly, so that it is closed for not reading; resolves with the time it was held. */
function askAndNeverRead(port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const startedAt = performance.now()
    const socket = connect(port, '127.0.0.1')
    socket.pause()
    const asking = setInterval(() => socket.write(getRequest('/share.png').repeat(2)), 30)
    const hangs = setTimeout(() => {
      reject(new Error('never closed'))
      socket.destroy()
    }, patienceMs)
    socket.on('error', () => {})
    socket.on('close', () => {
      clearInterval(asking)
      clearTimeout(hangs)
      resolve(Math.round(performance.now() - startedAt))
    })
  })
}

/** One after the other on each connection, until the signal; resolves with the time that each took. */
async function sendLeads(port: number, label: string, signal: AbortSignal): Promise<number[]> {
  const times: number[] = []
  const clients = Array.from({ length: others }, async (_, client) => {
    const wire = await openWire(port)
    let number = 0
    do {
      const sentAt = performance.now()
      const request = lead(`${label} ${client}-${(number += 1)}`)
      const answer = await askUntilServed(() => wire.ask(request))
      assert.ok(receivedReference(answer), `answered ${answer.status}`)
      times.push(performance.now() - sentAt)
      await sleep(10)
    } while (!signal.aborted)
    wire.close()
  })
  await Promise.all(clients)
  return times
}

function lead(message: string): string {
  return jsonRequest({ name_1: 'Sam', email_1: 'sam@example.com', textarea_1: message })
}

/** Every kind of request that is framed in its own way. */
function askNumber(index: number): { request: string; expected: string } {
  const body = JSON.stringify({ name_1: 'Sam', email_1: 'sam@example.com', textarea_1: `${index}` })
  const chunks = [body.slice(0, 9), body.slice(9)].map(
    (c) => `${c.length.toString(16)}\r\n${c}\r\n`,
  )
  const head = 'POST /api/lead HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n'
  const kinds = [
    { request: lead(`${index}`), expected: '200 lead' },
    { request: getRequest('/contact/'), expected: '200' },
    { request: getRequest('/no-such-page/'), expected: '404' },
    {
      request: `${head}Transfer-Encoding: chunked\r\n\r\n${chunks.join('')}0\r\n\r\n`,
      expected: '200 lead',
    },
    { request: jsonRequest({ name_1: 'Sam' }), expected: '400' },
  ]
  return kinds[index % kinds.length]!
}

async function sendInPieces(wire: Wire, bytes: Buffer, pieceBytes: number): Promise<void> {
  for (let at = 0; at < bytes.length; at += pieceBytes) {
    await new Promise((resolve) => wire.socket.write(bytes.subarray(at, at + pieceBytes), resolve))
  }
}
