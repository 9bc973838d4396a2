/** Clients that send many requests at once: those that read get every answer in order, and the others are shed. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import test from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { receivedReference } from '../support/load.ts'
import { residentMb } from '../support/resident-memory.ts'
import { patienceMs } from '../support/patience.ts'
import { startServiceProcess, temporaryFolder } from '../support/service.ts'
import { startFlags } from '../support/start-flags.ts'
import { askUntilServed, getRequest, jsonRequest, openWire } from '../support/wire.ts'
import type { Wire } from '../support/wire.ts'

const nonReaders = Number(process.env['STORY_NON_READERS'] ?? 6)
const requestsEach = 1_500
const others = 4

test('clients that ask and do not read are shed, cost little memory, and leads are taken beside them [edge.unread]', async (t) => {
  const env = { NODE_OPTIONS: startFlags.join(' ') }
  const service = await startServiceProcess({ dataDir: temporaryFolder(t), env })
  t.after(() => service.stop('SIGKILL'))
  const asked = getRequest('/contact/').repeat(requestsEach)
  const allShed = new AbortController()
  const megabytes: number[] = []
  const watch = setInterval(() => megabytes.push(residentMb(service.process.pid!)), 100)
  t.after(() => clearInterval(watch))
  const shedding = Promise.all(
    Array.from({ length: nonReaders }, () => askAndNeverRead(service.port, asked)),
  ).finally(() => allShed.abort())
  const leads = Promise.all(
    Array.from({ length: others }, (_, client) =>
      sendLeads(service.port, `other-${client}`, allShed.signal),
    ),
  )
  const [heldMs, times] = await Promise.all([shedding, leads])

  const mostMegabytes = Math.max(...megabytes)
  const sorted = times.flat().toSorted((a, b) => a - b)
  const p99Ms = Math.round(sorted[Math.floor(sorted.length * 0.99)]!)
  const counts = { nonReaders, shed: heldMs.length, longestHeldMs: Math.max(...heldMs) }
  const beside = { leads: sorted.length, p99Ms, mostMegabytes }
  t.diagnostic(JSON.stringify({ story: 'non-readers', ...counts, ...beside }))
  assert.ok(mostMegabytes < 300, `${mostMegabytes} MB`)
  assert.equal(await service.stop(), 0)
})

test('requests that are sent together are all answered, in order, however their bytes arrive', async (t) => {
  const service = await startServiceProcess({ dataDir: temporaryFolder(t) })
  t.after(() => service.stop('SIGKILL'))
  const asks = Array.from({ length: 240 }, (_, index) => askNumber(index))
  const bytes = Buffer.from(asks.map(({ request }) => request).join(''))
  for (const pieceBytes of [bytes.length, 5_000, 701]) {
    const wire = await openWire(service.port)
    const sent = sendInPieces(wire, bytes, pieceBytes)
    const answers: string[] = []
    for (const { kind } of asks) {
      const { status, body } = await wire.ask('')
      answers.push(kind === 'lead' && body.includes('"reference"') ? `${status} lead` : `${status}`)
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

test('what cannot be read behind a lead is refused after the lead is answered', async (t) => {
  const service = await startServiceProcess({ dataDir: temporaryFolder(t) })
  t.after(() => service.stop('SIGKILL'))
  const garbage = {
    'no request': 'GARBAGE\r\n\r\n',
    CONNECT: 'CONNECT a:80 HTTP/1.1\r\nHost: a\r\n\r\n',
  }
  const bodyless = 'POST /api/lead HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n'
  for (const [name, bytes] of Object.entries({ ...garbage, 'no chunk': bodyless })) {
    for (const leads of [1, 40]) {
      const wire = await openWire(service.port)
      const closed = once(wire.socket, 'close')
      const sent = Array.from({ length: leads }, (_, index) => lead(`${name} ${leads} ${index}`))
      const answers = [await wire.ask(sent.join('') + bytes)]
      while (answers.length <= leads) answers.push(await wire.ask(''))
      const last = answers.pop()!
      assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]), name)
      assert.equal(last.status, 400, name)
      assert.equal(last.headers['connection'], 'close', name)
      await closed
    }
  }
})

/** Resolves with the time it was held, when the service has ended the connection. */
function askAndNeverRead(port: number, asked: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const startedAt = performance.now()
    const socket = connect(port, '127.0.0.1')
    socket.pause()
    socket.write(asked)
    // Who does not read sees the end only when writing.
    const trying = setInterval(() => socket.write('\r\n'), 500)
    const hangs = setTimeout(() => {
      reject(new Error('never shed'))
      socket.destroy()
    }, patienceMs)
    socket.on('error', () => {})
    socket.on('close', () => {
      clearInterval(trying)
      clearTimeout(hangs)
      resolve(Math.round(performance.now() - startedAt))
    })
  })
}

/** One after the other, until the signal; resolves with the time that each took. */
async function sendLeads(port: number, name: string, signal: AbortSignal): Promise<number[]> {
  const wire = await openWire(port)
  const times: number[] = []
  while (!signal.aborted) {
    const sentAt = performance.now()
    const request = lead(`${name}-${times.length}`)
    const answer = await askUntilServed(() => wire.ask(request))
    assert.ok(receivedReference(answer), `answered ${answer.status}`)
    times.push(performance.now() - sentAt)
    await sleep(10)
  }
  wire.close()
  return times
}

function lead(message: string): string {
  return jsonRequest({ name_1: 'Sam', email_1: 'sam@example.com', textarea_1: message })
}

/** Every kind of request that is framed in its own way. */
function askNumber(index: number): { request: string; kind: string; expected: string } {
  const body = JSON.stringify({ name_1: 'Sam', email_1: 'sam@example.com', textarea_1: `${index}` })
  const chunks = [body.slice(0, 9), body.slice(9)].map(
    (c) => `${c.length.toString(16)}\r\n${c}\r\n`,
  )
  const head = 'POST /api/lead HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n'
  const kinds = [
    { request: lead(`${index}`), kind: 'lead', expected: '200 lead' },
    { request: getRequest('/contact/'), kind: 'page', expected: '200' },
    { request: getRequest('/no-such-page/'), kind: 'missing', expected: '404' },
    {
      request: `${head}Transfer-Encoding: chunked\r\n\r\n${chunks.join('')}0\r\n\r\n`,
      kind: 'lead',
      expected: '200 lead',
    },
    { request: jsonRequest({ name_1: 'Sam' }), kind: 'wrong', expected: '400' },
  ]
  return kinds[index % kinds.length]!
}

async function sendInPieces(wire: Wire, bytes: Buffer, pieceBytes: number): Promise<void> {
  for (let at = 0; at < bytes.length; at += pieceBytes) {
    await new Promise((resolve) => wire.socket.write(bytes.subarray(at, at + pieceBytes), resolve))
  }
}
