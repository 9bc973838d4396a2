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
  ['half of a body', post('{"jsonrpc":"2.0"'), 400, -32700],
  ['not UTF-8', { ...post(''), body: Buffer.from('"\xe9"', 'latin1') }, 400, -32700],
  ['null', post('null'), 400, -32600],
  ['a number', post('1'), 400, -32600],
  ['an object', post({}), 400, -32600],
  ['a lead as it is', post(robin), 400, -32600],
  ['id null', post({ ...rpc, id: null, method: 'ping' }), 400, -32600],
  ['id 1.5', post({ ...rpc, id: 1.5, method: 'ping' }), 400, -32600],
  ['params null', post({ ...rpc, method: 'ping', params: null }), 400, -32600],
  ['JSON-RPC 1.0', post({ ...rpc, jsonrpc: '1.0', method: 'ping' }), 400, -32600],
  ['an empty batch', post('[]'), 400, -32600],
  ['a batch', post([{ ...rpc, method: 'ping' }]), 400, -32600],
  ['text', post('{}', { 'content-type': 'text/plain' }), 415, -32000],
  ['a form', post('a=b', { 'content-type': 'application/x-www-form-urlencoded' }), 415, -32000],
  ['no type', post('{}', { 'content-type': undefined }), 415, -32000],
  ['a charset', older('ping', {}, { 'content-type': 'Application/JSON; charset=utf-8' }), 200],
  ['a compressed body', older('ping', {}, { 'content-encoding': 'gzip' }), 415, -32000],
  ['a body past the limit', post('too-large'), 413, -32000],
]

const whoAsks: Row[] = [
  ['Host with a port', older('ping', {}, { host: 'decks.example.com:8443' }), 200],
  ['Host in capitals', older('ping', {}, { host: 'DECKS.example.com' }), 200],
  ['a loopback address, IPv6', older('ping', {}, { host: '[::1]:3000' }), 200],
  ['an IP address as Host', older('ping', {}, { host: '192.0.2.7:3000' }), 200],
  ['the name of a container as Host', older('ping', {}, { host: 'lead_intake:3000' }), 200],
  ['no Host', older('ping', {}, { host: undefined }), 200],
  ['a Host of any name, newer', newer('tools/list', {}, { host: 'decks.internal' }), 200],
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
  ['an Origin that is no address', older('ping', {}, { origin: 'evil' }), 403, -32000],
  ['a foreign Origin, newer', newer('tools/list', {}, { origin: 'https://evil.org' }), 403, -32000],
]

const beforeJuly2026: Row[] = [
  ['initialize', hello('2025-11-25'), 200],
  ['initialize, the oldest version', hello('2024-10-07'), 200],
  ['initialize, an unknown version', hello('1999-01-01'), 200],
  ['initialize, the newest version', hello('2026-07-28'), 200],
  ['initialize without params', older('initialize'), 200, -32603],
  ['initialized', post({ jsonrpc: '2.0', method: 'notifications/initialized' }), 202],
  ['an unknown notification', post({ jsonrpc: '2.0', method: 'notifications/x' }), 202],
  ['a result', post({ ...rpc, result: {} }), 202],
  ['an error', post({ ...rpc, error: { code: 1, message: 'x' } }), 202],
  ['ping', older('ping'), 200],
  ['a text as id', post({ ...rpc, id: 'a"b', method: 'ping' }), 200],
  ['a session', older('ping', {}, { 'mcp-session-id': 'abc' }), 200],
  ['tools/list', older('tools/list'), 200],
  ['tools/list, no version told', post({ ...rpc, method: 'tools/list' }), 200],
  ['tools/list of March', older('tools/list', {}, { 'mcp-protocol-version': '2025-03-26' }), 200],
  ['get_business_info', older('tools/call', { name: 'get_business_info' }), 200],
  ['list_public_endpoints', older('tools/call', { name: 'list_public_endpoints' }), 200],
  ['a lead', lead(), 200],
  [
    'a progress token',
    older('tools/call', { name: submit, arguments: robin, _meta: { progressToken: 3 } }),
    200,
  ],
  ['invalid arguments', lead({ name_1: '' }), 200],
  ['no arguments', older('tools/call', { name: submit }), 200],
  ['arguments 20,000 levels deep', post(deepCall), 400, -32600],
  [
    'parameters 20,000 levels deep',
    post(`{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":${deep}}}`),
    400,
    -32600,
  ],
  ['a method 20,000 levels deep', post(`{"jsonrpc":"2.0","id":1,"method":${deep}}`), 400, -32600],
  ['arguments as a list', lead([robin]), 200, -32602],
  ['arguments as a text', lead('x'), 200, -32602],
  ['arguments null', lead(null), 200, -32602],
  ['an unknown tool', older('tools/call', { name: 'nothing' }), 200, -32602],
  ['a name every object has', older('tools/call', { name: 'constructor' }), 200, -32602],
  ['a number as name', older('tools/call', { name: 1 }), 200, -32602],
  ['a call without name', older('tools/call', {}), 200, -32602],
  ['a call without params', older('tools/call'), 200, -32602],
  ['resources/list', older('resources/list'), 200],
  ['resources/templates/list', older('resources/templates/list'), 200],
  ['resources/read', older('resources/read', { uri: twin }), 200],
  ['a resource without uri', older('resources/read', {}), 200, -32603],
  ['a cursor that is a number', older('tools/list', { cursor: 5 }), 200, -32603],
  ['an unknown resource', older('resources/read', { uri: 'file:///etc/passwd' }), 200, -32602],
  ['an unknown method', older('nothing'), 200, -32601],
  ['prompts/list', older('prompts/list'), 200, -32601],
  ['server/discover', older('server/discover'), 200, -32601],
  ['an unknown version', older('ping', {}, { 'mcp-protocol-version': '1999-01-01' }), 400, -32000],
  ['Accept: JSON', older('ping', {}, { accept: 'application/json' }), 200],
  ['Accept: events', older('ping', {}, { accept: 'text/event-stream' }), 200],
  ['Accept: anything', older('ping', {}, { accept: '*/*' }), 200],
]

const sinceJuly2026: Row[] = [
  ['newer server/discover', newer('server/discover'), 200],
  ['newer tools/list', newer('tools/list'), 200],
  ['newer tools/list, Accept: HTML', newer('tools/list', {}, { accept: 'text/html' }), 200],
  ['newer get_business_info', newer('tools/call', { name: 'get_business_info' }), 200],
  ['newer list_public_endpoints', newer('tools/call', { name: 'list_public_endpoints' }), 200],
  ['newer lead', newerLead(), 200],
  ['newer invalid arguments', newerLead({}), 200],
  ['newer arguments as a list', newerLead([]), 200, -32602],
  ['newer unknown tool', newer('tools/call', { name: 'nothing' }), 200, -32602],
  ['newer resources/list', newer('resources/list'), 200],
  ['newer resources/read', newer('resources/read', { uri: twin }), 200],
  ['newer resource without uri', newer('resources/read', {}, { 'mcp-name': 'x' }), 200, -32603],
  ['newer unknown resource', newer('resources/read', { uri: 'x:y' }), 200, -32602],
  ['newer unknown method', newer('nothing'), 404, -32601],
  ['newer initialize', newer('initialize'), 404, -32601],
  ['newer ping', newer('ping'), 404, -32601],
  ['no Mcp-Method', newer('tools/list', {}, { 'mcp-method': undefined }), 400, -32020],
  ['another Mcp-Method', newer('tools/list', {}, { 'mcp-method': 'ping' }), 400, -32020],
  ['no Mcp-Name', newerLead(robin, { 'mcp-name': undefined }), 400, -32020],
  ['another Mcp-Name', newerLead(robin, { 'mcp-name': 'get_business_info' }), 400, -32020],
  [
    'Mcp-Name in base64',
    newer('tools/call', { name: 'get_business_info' }, { 'mcp-name': inBase64 }),
    200,
  ],
  [
    'no version in the header',
    newer('tools/list', {}, { 'mcp-protocol-version': undefined }),
    400,
    -32020,
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
  [
    'a header that no wire can carry',
    newer('tools/list', {}, { 'mcp-name': '\u0100' }),
    500,
    -32603,
  ],
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
