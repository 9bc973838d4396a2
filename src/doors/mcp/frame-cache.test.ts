import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import type { Answer, App } from '../../http/message.ts'
import type { TakeLead } from '../../lead/take.ts'
import { createLimits } from '../../lead/limits.ts'
import { readBusiness } from '../../site/business.ts'
import { createMcpDoor } from './door.ts'

type Json = { [name: string]: unknown }
type Asked = { headers: Json; message: Json }

const newerMeta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'helper', version: '2.1' },
  'io.modelcontextprotocol/clientCapabilities': { roots: { listChanged: true } },
}
const hello = {
  protocolVersion: '2025-11-25',
  capabilities: {},
  clientInfo: { name: 'a', version: '1' },
}
const submit = 'submit_consultation_lead'
const business = readBusiness('content/business.yaml')

const plain: Asked[] = [
  asked('ping'),
  asked('initialize', hello),
  asked('tools/list', { cursor: 'x' }),
  asked('tools/call', { name: 'get_business_info', _meta: { progressToken: 1 } }),
  asked('tools/call', { name: submit, arguments: { name_1: 'Sam' } }),
  asked('resources/list', {}),
  asked('server/discover', { _meta: newerMeta }),
  asked('tools/list', { _meta: newerMeta }),
  asked('tools/call', { name: 'list_public_endpoints', arguments: {}, _meta: newerMeta }),
  asked('tools/call', { name: submit, arguments: {}, _meta: newerMeta }),
]

const values = fc.oneof(
  fc.constantFrom(undefined, null, 0, 1.5, '', [], {}, true, 'tools/call', submit, '__proto__'),
  fc.constantFrom('2026-07-28', '2025-11-25', '2024-10-07', '2099-01-01', '2.0'),
  fc.jsonValue({ maxDepth: 2 }),
)
const edits = fc.array(fc.record({ place: fc.nat(), value: values }), { maxLength: 3 })

test('an answer from the cache is what the library would answer', async () => {
  const warm = openDoor()
  for (const each of plain) await ask(warm, each)
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...plain),
      edits,
      fc.jsonValue(),
      async (base, changes, id) => {
        const question = structuredClone(base)
        for (const { place, value } of changes) edit(question, place, value)
        const { headers, message } = question
        await ask(warm, { headers, message: { ...message, id: 'before' } })
        for (const each of [question, { headers, message: { ...message, id } }]) {
          assert.deepEqual(await ask(warm, each), await ask(openDoor(), each))
        }
      },
    ),
    { numRuns: 500 },
  )
})

function asked(method: string, params?: Json): Asked {
  const newer = params?.['_meta'] === newerMeta
  return {
    headers: {
      host: 'localhost',
      'content-type': 'application/json',
      'mcp-protocol-version': newer ? '2026-07-28' : '2025-11-25',
      ...(newer && { 'mcp-method': method }),
      ...(newer && { 'mcp-name': params['name'] }),
    },
    message: { jsonrpc: '2.0', id: 1, method, ...(params && { params }) },
  }
}

/** Accepts bodies that have a name, so that a tool's results and its errors both occur. */
const takeLead: TakeLead = ({ body }) =>
  Promise.resolve(
    'name_1' in body
      ? { kind: 'accepted', id: '1', reference: 'C-7K3QM-4X92P', token: 'token', unlisted: [] }
      : { kind: 'key-reused' },
  )

function openDoor(): App {
  return createMcpDoor({
    takeLead,
    business,
    baseUrl: 'https://decks.example.com',
    limits: createLimits('off'),
    now: Date.now,
  })
}

async function ask(door: App, { headers, message }: Asked): Promise<Answer> {
  return await door({
    id: 'test-1',
    method: 'POST',
    path: '/mcp',
    query: '',
    headers: headers as Record<string, string>,
    body: Buffer.from(JSON.stringify(message)),
    address: { network: '127.0.0.1', local: true },
  })
}

/** Puts a value in one of the places of a question; `undefined` takes away what is there. */
function edit(question: Asked, place: number, value: unknown): void {
  const places = [...placesIn(question.headers), ...placesIn(question.message)]
  const [holder, name] = places[place % places.length]!
  const isHeader = holder === question.headers
  holder[name] = isHeader ? toHeader(value) : value
}

function toHeader(value: unknown): string | undefined {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return text?.replaceAll(/[^ -~]/g, '')
}

function placesIn(holder: Json): [Json, string][] {
  return Object.entries(holder).flatMap(([name, value]) => [
    [holder, name] as [Json, string],
    ...(typeof value === 'object' && value !== null ? placesIn(value as Json) : []),
  ])
}
