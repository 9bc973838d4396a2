import assert from 'node:assert/strict'
import { once } from 'node:events'
import test from 'node:test'
import { fileURLToPath } from 'node:url'
import { maxBodyBytes } from '../../src/contract/limits.ts'
import { tools } from '../../src/contract/tools.ts'
import { randomFrom } from '../support/random.ts'
import { startServiceHere } from '../support/service-here.ts'
import { startServiceProcess, temporaryFolder, type Cleaner } from '../support/service.ts'
import { openWire, postRequest, type Wire } from '../support/wire.ts'

type HostileBody = {
  what: string
  path: '/api/lead' | '/mcp'
  headers: Record<string, string>
  body: string
}

type Random = () => number

function hostileBody(n: number, random: Random): HostileBody {
  const { what, path, make, headers } = kinds[n % kinds.length]!
  const bytes = sizes[Math.floor(random() * sizes.length)]!(random)
  const body = make((before, piece, after = '') => before + fill(bytes, piece, random) + after)
  return { what, path, headers: headers(random), body }
}

/** The largest allowed, any size, or just within the 500 values of an MCP message. */
const sizes: readonly ((random: Random) => number)[] = [
  () => maxBodyBytes - 1_000,
  (random) => 64 + Math.floor(random() * (maxBodyBytes - 1_064)),
  () => 1_500,
]

/** Text between `before` and `after`: pieces that fill the room. */
type Fill = (before: string, piece: Piece, after?: string) => string
type Piece = string | ((n: number, random: Random) => string)

type Kind = Pick<HostileBody, 'what'> & {
  make: (filled: Fill) => string
  path: HostileBody['path']
  headers: (random: Random) => Record<string, string>
}

function fill(bytes: number, piece: Piece, random: Random): string {
  if (typeof piece === 'string') {
    return piece.repeat(Math.floor(bytes / Buffer.byteLength(piece)))
  }
  const pieces: string[] = []
  for (let size = 0, n = 0; ; n += 1) {
    const next = piece(n, random)
    size += Buffer.byteLength(next)
    if (size > bytes) return pieces.join('')
    pieces.push(next)
  }
}

/** Lists in lists, as many as fit; or what `open` and `close` say. */
function nest(filled: Fill, before: string, after: string, open = '[', close = ']'): string {
  const levels = filled('', open + close).length / (open + close).length
  return `${before}${open.repeat(levels)}0${close.repeat(levels)}${after}`
}

const person = '"name_1":"Sam","email_1":"sam@example.com"'
const words = (n: number, random: Random) => `${Math.floor(random() * 1e9).toString(36)}${n}`

const json: Record<string, Kind['make']> = {
  'nesting: lists in an unlisted field': (filled) => nest(filled, `{${person},"x":`, '}'),
  'nesting: objects in an unlisted field': (filled) =>
    nest(filled, `{${person},"x":`, '}', '{"a":', '}'),
  'nesting: many small trees': (filled) =>
    filled(`{${person},"x":[0`, ',[{"a":[{"b":[[]]}]}]', ']}'),
  'repetition: unlisted names': (filled) => filled(`{${person}`, (n) => `,"${n}":0`, '}'),
  'repetition: names that differ in blanks': (filled) =>
    filled(`{${person}`, (n) => `,"${' '.repeat(n % 90)}a${'\\t'.repeat(n % 7)}":0`, '}'),
  'size: message': (filled) => filled(`{${person},"textarea_1":"`, words, '"}'),
  'size: email': (filled) => filled('{"name_1":"Sam","email_1":"a@', 'a-a.', 'a!"}'),
  'size: links and the trap': (filled) =>
    filled(`{${person},"botcheck":"Sam","x":"`, 'www.http://', '"}'),
}

const sam = 'name_1=Sam&email_1=sam%40example.com'

const form: Record<string, Kind['make']> = {
  'nesting: escaped escapes': (filled) => filled(`${sam}&textarea_1=`, '%25'),
  'repetition: unlisted names': (filled) => filled(sam, (n) => `&${n}=`),
  'repetition: one name, other values': (filled) => filled(sam, (n) => `&a=${n}`),
  'repetition: a listed name': (filled) => filled('', (n) => `name_1=${n}&`),
  'repetition: ampersands': (filled) => filled(sam, '&'),
  'repetition: names to escape': (filled) => filled(sam, (n) => `&"${n}<=>`),
  'size: message to escape': (filled) => filled(`${sam}&textarea_1=`, '"'),
  'size: control characters': (filled) => filled(`${sam}&textarea_1=`, '%00%0d'),
  'size: windows-1252': (filled) => filled(`${sam}&textarea_1=`, '%E9'),
  'size: email': (filled) => filled('name_1=Sam&email_1=', (n, random) => words(n, random)),
  'size: key': (filled) => filled(`${sam}&idempotency_key=`, words),
}

const submitTool = tools.submitConsultationLead.name
const call = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"${submitTool}"`
const hello =
  '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{}'
const about = (client: string, capabilities = '{}') =>
  [
    '"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"',
    `"io.modelcontextprotocol/clientInfo":{"name":"a","version":"1"${client}}`,
    `"io.modelcontextprotocol/clientCapabilities":${capabilities}`,
  ].join(',')

const mcp: Record<string, Kind['make']> = {
  'nesting: arguments': (filled) => nest(filled, `${call},"arguments":{"x":`, '}}}'),
  'nesting: params': (filled) => nest(filled, `${call},"x":`, '}}'),
  'nesting: many small trees': (filled) =>
    filled(`${hello},"clientInfo":{"name":"a","version":"1","icons":[0`, ',[{"a":[{}]}]', ']}}}'),
  'repetition: arguments': (filled) =>
    filled(`${call},"arguments":{${person}`, (n) => `,"${n}":{}`, '}}}'),
  'repetition: icons in every request': (filled) =>
    `${call},${about(filled(',"icons":[0', ',{}', ']'))}}}}`,
  'repetition: a batch': (filled) => filled('[0', ',{"jsonrpc":"2.0","id":1,"method":"ping"}', ']'),
  'size: address of a resource': (filled) =>
    filled('{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"', '[{\\"', '"}}'),
  'size: message of a lead': (filled) =>
    filled(`${call},"arguments":{${person},"textarea_1":"`, words, '"}}}'),
}

const eras = [
  { 'Mcp-Protocol-Version': '2025-11-25' },
  {
    'Mcp-Protocol-Version': '2026-07-28',
    'Mcp-Method': 'tools/call',
    'Mcp-Name': submitTool,
  },
]

const kinds: readonly Kind[] = [
  ...toKinds('JSON', json, '/api/lead', () => ({ 'Content-Type': 'application/json' })),
  ...toKinds('form', form, '/api/lead', () => ({
    'Content-Type': 'application/x-www-form-urlencoded',
    Accept: 'text/html,*/*;q=0.8',
  })),
  ...toKinds('MCP', mcp, '/mcp', (random) => ({
    'Content-Type': 'application/json',
    ...eras[Math.floor(random() * eras.length)],
  })),
]

function toKinds(
  door: string,
  makers: Record<string, Kind['make']>,
  path: Kind['path'],
  headers: Kind['headers'],
): Kind[] {
  return Object.entries(makers).map(([what, make]) => ({
    what: `${door}, ${what}`,
    make,
    path,
    headers,
  }))
}

const wanted = process.env['STORY_HOSTILE']
/** Each kind once, unless more are wanted. */
const bodies = Number(wanted ?? 27)
const mostCpuMs = 30
/** Speed is told and asserted only where somebody asked for it. A busy machine or the garbage collector may make a cheap body look dear, but not every time. */
const suspiciousMs = 10
const triesOfSuspicious = 8
const isMeasured = wanted !== undefined

/** An answer may repeat 16 KiB of unlisted fields and a message of 10,000 characters, escaped. */
const mostAnswerBytes = 128 * 1024

test('no hostile body is dear, makes a fault or gets a long answer, within the limits or past them [edge.hostile]', async (t) => {
  const { port, usedMs } = isMeasured ? await startMeasured(t) : await startUnmeasured(t)
  const sender = createSender(port, usedMs)
  const random = randomFrom(13)
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
  const counts = { bodies, faults: faults.length, largest }
  t.diagnostic(JSON.stringify({ story: 'hostile bodies', ...counts, ...(isMeasured && dearestMs) }))
  assert.deepEqual(faults, [])
  assert.ok(largest.bytes <= mostAnswerBytes, JSON.stringify(largest))
  if (isMeasured) assert.ok(byCost[0]![1] <= mostCpuMs, JSON.stringify(dearestMs))
})

type Sent = { as: 'served' | 'limited'; status: number; bytes: number; ms: number }

/** The second request of each address is past the limit. */
const env = { RATE_LIMIT: '1000000,1' }

type Started = { port: number; usedMs(): Promise<number> }

async function startUnmeasured(t: Cleaner): Promise<Started> {
  const { port } = await startServiceHere(t, { dataDir: temporaryFolder(t), env })
  return { port, usedMs: () => Promise.resolve(0) }
}

async function startMeasured(t: Cleaner): Promise<Started> {
  const preload = fileURLToPath(new URL('../support/cpu-meter.ts', import.meta.url))
  const service = await startServiceProcess({
    dataDir: temporaryFolder(t),
    env: { ...env, NODE_OPTIONS: `--require="${preload}"` },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  t.after(() => service.stop('SIGKILL'))
  return {
    port: service.port,
    async usedMs() {
      const told = once(service.process, 'message')
      service.process.send('how much?')
      const [microseconds] = (await told) as [number]
      return microseconds / 1_000
    },
  }
}

function createSender(port: number, usedMs: Started['usedMs']) {
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
    if (!wire?.isOpen()) wire = await openWire(port)
    const request = postRequest(body, { ...headers, 'X-Forwarded-For': from }, path)
    const before = await usedMs()
    const answer = await wire.ask(request)
    const ms = (await usedMs()) - before
    return { status: answer.status, bytes: Number(answer.headers['content-length'] ?? 0), ms }
  }
}
