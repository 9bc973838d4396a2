import assert from 'node:assert/strict'
import test from 'node:test'
import { quantile } from '../support/load.ts'
import { startServiceProcess, temporaryFolder, startFlags, residentMb } from '../support/service.ts'
import {
  isUnavailable,
  openWire,
  type WireAnswer,
  formRequest,
  getRequest,
  jsonRequest,
  postRequest,
} from '../support/wire.ts'

/** 0: each connection sends every kind a few times, and memory is not judged. */
const minutes = Number(process.env['STORY_MIXED_MINUTES'] ?? 0)
const connections = 16
const fewRounds = 8
/** Memory may grow by this factor after the first minute, in which the service warms up. */
const mostGrowth = 1.25

type Kind = {
  what: string
  status: number
  /** `receipts`: paths of receipts that were handed out. */
  request: (number: number, receipts: readonly string[]) => string
}

const longText = 'A deck of hardwood with two steps to the lawn. '.repeat(200)
const person = (number: number) => ({
  name_1: 'Robin Example',
  email_1: `robin-${number}@example.com`,
  phone_1: '0491 570 006',
  text_1: '2480',
  textarea_1: `A pergola, plan ${number}. ${number % 50 === 0 ? longText : ''}`,
})
const json = { 'Content-Type': 'application/json' }
const agent = { ...json, Accept: 'application/json, text/event-stream' }
const call = (id: number, method: string, params: unknown, headers = {}) =>
  postRequest(
    JSON.stringify({ jsonrpc: '2.0', id, method, params }),
    { ...agent, ...headers },
    '/mcp',
  )
const hello = {
  protocolVersion: '2025-11-25',
  capabilities: {},
  clientInfo: { name: 'mixed', version: '1.0.0' },
}

const kinds: Kind[] = [
  { what: 'home', status: 200, request: () => getRequest('/') },
  {
    what: 'contact, compressed',
    status: 200,
    request: () => getRequest('/contact/', { 'Accept-Encoding': 'gzip, br' }),
  },
  {
    what: 'markdown',
    status: 200,
    request: () => getRequest('/decks/', { Accept: 'text/markdown' }),
  },
  { what: 'api description', status: 200, request: () => getRequest('/openapi.json') },
  { what: 'llms.txt', status: 200, request: () => getRequest('/llms.txt') },
  { what: 'health', status: 200, request: () => getRequest('/api/lead') },
  { what: 'missing', status: 404, request: (number) => getRequest(`/no-such-${number}/`) },
  {
    what: 'missing, JSON',
    status: 404,
    request: (number) => getRequest(`/nothing/${number}`, { Accept: 'application/json' }),
  },
  { what: 'JSON', status: 200, request: (number) => jsonRequest(person(number)) },
  {
    what: 'JSON with a key',
    status: 200,
    request: (number) =>
      jsonRequest(person(number), { 'Idempotency-Key': `0b8f3c1e-4d52-4f0a-9c77-${id12(number)}` }),
  },
  { what: 'bad JSON', status: 400, request: () => postRequest('{"name_1":', json) },
  { what: 'invalid JSON lead', status: 400, request: () => jsonRequest({ name_1: '' }) },
  {
    what: 'JSON that is too large',
    status: 413,
    request: () => postRequest(`{"x":"${'x'.repeat(70_000)}"}`, json),
  },
  { what: 'form', status: 303, request: (number) => formRequest(person(number)) },
  {
    what: 'bad form',
    status: 303,
    request: (number) => formRequest({ ...person(number), email_1: 'nobody' }),
  },
  {
    what: 'receipt',
    status: 200,
    request: (number, receipts) =>
      getRequest(receipts[number % receipts.length]!, { Accept: 'text/html' }),
  },
  {
    what: 'receipt, JSON',
    status: 200,
    request: (number, receipts) =>
      getRequest(receipts[number % receipts.length]!, { Accept: 'application/json' }),
  },
  { what: 'MCP hello', status: 200, request: (number) => call(number, 'initialize', hello) },
  { what: 'MCP tools', status: 200, request: (number) => call(number, 'tools/list', {}) },
  {
    what: 'MCP lead',
    status: 200,
    request: (number) =>
      call(number, 'tools/call', { name: 'submit_consultation_lead', arguments: person(number) }),
  },
  { what: 'bad MCP', status: 400, request: () => postRequest('[1, 2', agent, '/mcp') },
]

test('every kind of request at once is answered as it should be, in flat memory', async (t) => {
  const service = await startServiceProcess({
    dataDir: temporaryFolder(t),
    env: { NODE_OPTIONS: startFlags.join(' ') },
  })
  t.after(() => service.stop('SIGKILL'))
  const { port } = service
  const memory: number[] = []
  const receipts = await someReceipts(port)
  const unexpected = new Map<string, number>()
  let sent = 0
  const watch = setInterval(() => memory.push(residentMb(service.process.pid!)), 1_000)
  const endsAt = Date.now() + minutes * 60_000
  const mayGoOn = (round: number) => (minutes === 0 ? round < fewRounds : Date.now() < endsAt)
  await Promise.all(Array.from({ length: connections }, keepAsking))
  clearInterval(watch)

  const late = memory.slice(memory.length >> 1)
  const megabytes = {
    firstMinute: Math.max(0, ...memory.slice(0, 60)),
    median: late.length === 0 ? 0 : quantile(late, 0.5),
    most: Math.max(0, ...memory),
  }
  t.diagnostic(JSON.stringify({ story: 'mixed traffic', sent, kinds: kinds.length, megabytes }))
  assert.deepEqual([...unexpected], [])
  assert.equal(await service.stop(), 0)
  if (minutes > 0) {
    assert.ok(megabytes.most < megabytes.firstMinute * mostGrowth, JSON.stringify(megabytes))
  }

  async function keepAsking(_: unknown, connection: number): Promise<void> {
    let wire = await openWire(port)
    for (let round = 0; mayGoOn(round); round += 1) {
      for (const [at] of kinds.entries()) {
        // Each connection begins with another kind.
        const kind = kinds[(at + connection) % kinds.length]!
        if (!wire.isOpen()) wire = await openWire(port)
        const answer = await wire.ask(kind.request((sent += 1), receipts))
        if (answer.headers['connection'] === 'close') wire.close()
        if (answer.status === kind.status || isUnavailable(answer)) continue
        const said = `${kind.what}: ${answer.status}`
        unexpected.set(said, (unexpected.get(said) ?? 0) + 1)
      }
    }
    wire.close()
  }
})

async function someReceipts(port: number): Promise<string[]> {
  const wire = await openWire(port)
  const paths: string[] = []
  for (let number = 1; number <= 50; number += 1) {
    const answer = await wire.ask(jsonRequest({ ...person(-number), textarea_1: 'A deck.' }))
    paths.push(receiptPath(answer))
  }
  wire.close()
  return paths
}

function receiptPath({ body }: WireAnswer): string {
  return new URL((JSON.parse(body) as { status_url: string }).status_url).pathname
}

function id12(number: number): string {
  return number.toString(16).padStart(12, '0')
}
