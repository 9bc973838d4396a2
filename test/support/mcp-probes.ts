/** What may be asked of the MCP endpoint, rightly and wrongly, and what it must answer. */
import type { TestRequest } from './app.ts'
import { agentMeta, newer, older, post } from './mcp.ts'
import { robin } from './people.ts'

/** `code` is that of a JSON-RPC error; without one the answer is a result, or empty where it is 202. */
export type Probe = { what: string; request: TestRequest; status: number; code?: number }

const submit = 'submit_consultation_lead'
const twin = 'https://decks.example.com/index.md'
const client = { capabilities: {}, clientInfo: { name: 'helper', version: '2.1' } }
const rpc = { jsonrpc: '2.0', id: 1 }
const inBase64 = `=?base64?${Buffer.from('get_business_info').toString('base64')}?=`
const deep = `${'['.repeat(20_000)}${']'.repeat(20_000)}`
const deepCall = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"${submit}","arguments":{"x":${deep}}}}`

function hello(version: string) {
  return older('initialize', { protocolVersion: version, ...client })
}
function lead(args: unknown = robin, headers = {}) {
  return older('tools/call', { name: submit, arguments: args }, headers)
}
function newerLead(args: unknown = robin, headers = {}) {
  return newer('tools/call', { name: submit, arguments: args }, headers)
}

type Row = [what: string, request: TestRequest, status: number, code?: number]

const beforeTheMessage: Row[] = [
  ['an empty body', post(''), 400, -32700],
  ['not UTF-8', { ...post(''), body: Buffer.from('"\xe9"', 'latin1') }, 400, -32700],
  ['null', post('null'), 400, -32600],
  ['an object', post({}), 400, -32600],
  ['id null', post({ ...rpc, id: null, method: 'ping' }), 400, -32600],
  ['JSON-RPC 1.0', post({ ...rpc, jsonrpc: '1.0', method: 'ping' }), 400, -32600],
  ['a batch', post([{ ...rpc, method: 'ping' }]), 400, -32600],
  ['no type', post('{}', { 'content-type': undefined }), 415, -32000],
  ['a body past the limit', post('too-large'), 413, -32000],
]

const whoAsks: Row[] = [
  [
    'a name led here in a browser',
    older('ping', {}, { host: 'evil.example.com', origin: 'http://evil.example.com' }),
    403,
    -32000,
  ],
  ['our own Origin', older('ping', {}, { origin: 'https://decks.example.com' }), 200],
  ['a loopback Origin', older('ping', {}, { origin: 'http://localhost:6274' }), 200],
  ['a foreign Origin', older('ping', {}, { origin: 'https://evil.example.com' }), 403, -32000],
  ['an opaque Origin', older('ping', {}, { origin: 'null' }), 403, -32000],
  ['a foreign Origin, newer', newer('tools/list', {}, { origin: 'https://evil.org' }), 403, -32000],
]

const beforeJuly2026: Row[] = [
  ['initialize', hello('2025-11-25'), 200],
  ['initialize without params', older('initialize'), 200, -32603],
  ['initialized', post({ jsonrpc: '2.0', method: 'notifications/initialized' }), 202],
  ['ping', older('ping'), 200],
  ['tools/list', older('tools/list'), 200],
  ['get_business_info', older('tools/call', { name: 'get_business_info' }), 200],
  ['a lead', lead(), 200],
  ['invalid arguments', lead({ name_1: '' }), 200],
  ['arguments 20,000 levels deep', post(deepCall), 400, -32600],
  ['arguments as a list', lead([robin]), 200, -32602],
  ['an unknown tool', older('tools/call', { name: 'nothing' }), 200, -32602],
  ['a call without name', older('tools/call', {}), 200, -32602],
  ['resources/read', older('resources/read', { uri: twin }), 200],
  ['a resource without uri', older('resources/read', {}), 200, -32603],
  ['an unknown resource', older('resources/read', { uri: 'file:///etc/passwd' }), 200, -32602],
  ['an unknown method', older('nothing'), 200, -32601],
  ['server/discover', older('server/discover'), 200, -32601],
  ['an unknown version', older('ping', {}, { 'mcp-protocol-version': '1999-01-01' }), 400, -32000],
  ['Accept: JSON', older('ping', {}, { accept: 'application/json' }), 200],
]

const sinceJuly2026: Row[] = [
  ['newer server/discover', newer('server/discover'), 200],
  ['newer tools/list', newer('tools/list'), 200],
  ['newer get_business_info', newer('tools/call', { name: 'get_business_info' }), 200],
  ['newer lead', newerLead(), 200],
  ['newer invalid arguments', newerLead({}), 200],
  ['newer unknown tool', newer('tools/call', { name: 'nothing' }), 200, -32602],
  ['newer resources/read', newer('resources/read', { uri: twin }), 200],
  ['newer unknown resource', newer('resources/read', { uri: 'x:y' }), 200, -32602],
  ['newer unknown method', newer('nothing'), 404, -32601],
  ['no Mcp-Method', newer('tools/list', {}, { 'mcp-method': undefined }), 400, -32020],
  ['no Mcp-Name', newerLead(robin, { 'mcp-name': undefined }), 400, -32020],
  [
    'Mcp-Name in base64',
    newer('tools/call', { name: 'get_business_info' }, { 'mcp-name': inBase64 }),
    200,
  ],
  [
    'another version in the header',
    newer('tools/list', {}, { 'mcp-protocol-version': '2025-11-25' }),
    400,
    -32020,
  ],
  [
    'a version in the header only',
    older('tools/list', {}, { 'mcp-protocol-version': '2026-07-28' }),
    400,
    -32602,
  ],
  ['a version to come', newerOf('2099-01-01'), 400, -32022],
  ['no capabilities', newer('tools/list', { _meta: withoutCapabilities() }), 400, -32602],
]

export const probes: readonly Probe[] = [
  ...beforeTheMessage,
  ...whoAsks,
  ...beforeJuly2026,
  ...sinceJuly2026,
].map(([what, request, status, code]) =>
  code === undefined ? { what, request, status } : { what, request, status, code },
)

function newerOf(version: string): TestRequest {
  const meta = { ...agentMeta, 'io.modelcontextprotocol/protocolVersion': version }
  return newer('tools/list', { _meta: meta }, { 'mcp-protocol-version': version })
}

function withoutCapabilities(): object {
  const { 'io.modelcontextprotocol/clientCapabilities': _, ...rest } = agentMeta
  return rest
}
