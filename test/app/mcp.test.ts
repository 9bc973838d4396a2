import assert from 'node:assert/strict'
import test from 'node:test'
import { StorageUnavailable } from '../../src/store/engine/engine.ts'
import { openTestApp, type TestAnswer, type TestRequest } from '../support/app.ts'
import { exampleSite } from '../support/delivery.ts'
import { callTool, newer, older, post, resultOf, agentMeta } from '../support/mcp.ts'
import { countLeads, robin, sam } from '../support/leads.ts'

const submit = 'submit_consultation_lead'

const homeTwin = 'https://decks.example.com/index.md'
const client = { capabilities: {}, clientInfo: { name: 'helper', version: '2.1' } }
const rpc = { jsonrpc: '2.0', id: 1 }
const inBase64 = `=?base64?${Buffer.from('get_business_info').toString('base64')}?=`
const deep = `${'['.repeat(20_000)}${']'.repeat(20_000)}`
const deepParams = `{"name":"${submit}","arguments":{"x":${deep}}}`
const deepCall = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${deepParams}}`

function hello(version: string) {
  return older('initialize', { protocolVersion: version, ...client })
}
function olderLead(args: unknown = robin, headers = {}) {
  return older('tools/call', { name: submit, arguments: args }, headers)
}
function newerLead(args: unknown = robin, headers = {}) {
  return newer('tools/call', { name: submit, arguments: args }, headers)
}

/** `code` is that of a JSON-RPC error; without one the answer is a result, or empty where it is 202. */
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
  ['a lead', olderLead(), 200],
  ['invalid arguments', olderLead({ name_1: '' }), 200],
  ['arguments 20,000 levels deep', post(deepCall), 400, -32600],
  ['arguments as a list', olderLead([robin]), 200, -32602],
  ['an unknown tool', older('tools/call', { name: 'nothing' }), 200, -32602],
  ['a call without name', older('tools/call', {}), 200, -32602],
  ['resources/read', older('resources/read', { uri: homeTwin }), 200],
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
  ['newer resources/read', newer('resources/read', { uri: homeTwin }), 200],
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

const probes = [...beforeTheMessage, ...whoAsks, ...beforeJuly2026, ...sinceJuly2026]

function newerOf(version: string): TestRequest {
  const meta = { ...agentMeta, 'io.modelcontextprotocol/protocolVersion': version }
  return newer('tools/list', { _meta: meta }, { 'mcp-protocol-version': version })
}

function withoutCapabilities(): object {
  const { 'io.modelcontextprotocol/clientCapabilities': _, ...rest } = agentMeta
  return rest
}

test('every question gets the status and the code that belong to it [4.3.mcp]', async (t) => {
  const app = openTestApp(t)
  for (const [what, request, status, code] of probes) {
    const answer = await app.ask('POST', '/mcp', request)
    const type = status === 202 ? undefined : 'application/json'
    const got = [answer.status, answer.headers['content-type'], codeOf(answer)]
    assert.deepEqual(got, [status, type, code], what)
    if (status === 202) assert.equal(answer.text, '', what)
  }
})

test('there are exactly three tools, the same in both eras and on the card [4.3.mcp, 4.3.card]', async (t) => {
  const app = openTestApp(t)
  const card = (await app.ask('GET', '/.well-known/mcp.json')).json as {
    tools: { name: string }[]
    capabilities: object
  }
  assert.deepEqual(
    card.tools.map(({ name }) => name),
    ['get_business_info', 'list_public_endpoints', submit],
  )
  for (const era of [older, newer]) {
    const { tools } = resultOf(await app.ask('POST', '/mcp', era('tools/list'))) as unknown as {
      tools: { outputSchema: object }[]
    }
    assert.ok(tools.every(({ outputSchema }) => outputSchema))
    assert.deepEqual(
      tools.map(({ outputSchema: _output, ...tool }) => tool),
      card.tools,
    )
  }
  const { capabilities } = resultOf(
    await app.ask('POST', '/mcp', newer('server/discover')),
  ) as unknown as { capabilities: object }
  assert.deepEqual(capabilities, card.capabilities)
})

test('both cards name the same versions, and each of them can be spoken [4.3.card]', async (t) => {
  const app = openTestApp(t)
  const versions: string[][] = []
  for (const path of ['/.well-known/mcp.json', '/mcp/server-card']) {
    const card = JSON.parse((await app.ask('GET', path)).text) as {
      remotes: { supportedProtocolVersions: string[] }[]
    }
    versions.push(card.remotes[0]!.supportedProtocolVersions)
  }
  assert.deepEqual(versions[0], versions[1])
  const [newest, ...others] = versions[0]!
  // The versions before it begin with `initialize`.
  const discovered = resultOf(await app.ask('POST', '/mcp', newer('server/discover')))
  assert.partialDeepStrictEqual(discovered, { supportedVersions: [newest] })
  assert.equal(others.length, 5)
  for (const protocolVersion of others) {
    const answer = await app.ask('POST', '/mcp', hello(protocolVersion))
    assert.partialDeepStrictEqual(resultOf(answer), { protocolVersion })
  }
})

test('a tool without arguments says so when it gets some', async (t) => {
  const { content, isError } = await callTool(openTestApp(t), 'get_business_info', {
    town: 'Casino',
  })
  assert.equal(isError, true)
  assert.match(content[0]!.text, /takes no arguments\. Call it again without "town"/)
})

test('get_business_info tells the facts of the business, as text and as data', async (t) => {
  const { content, structuredContent } = await callTool(openTestApp(t), 'get_business_info')
  assert.deepEqual(JSON.parse(content[0]!.text), structuredContent)
  assert.equal(structuredContent!['name'], 'Example Decks & Pergolas')
  assert.equal(structuredContent!['request_page'], 'https://decks.example.com/contact/')
  const { since, registrations, insurance } = exampleSite.business
  const [{ number: abn } = {}] = registrations
  assert.partialDeepStrictEqual(structuredContent, { since, abn, insurance })
})

test('what the business does not say of itself is in neither answer nor schema', async (t) => {
  const { since: _, insurance: __, ...others } = exampleSite.business
  const business = { ...others, registrations: [] }
  const app = openTestApp(t, { site: { ...exampleSite, business } })
  const { structuredContent } = await callTool(app, 'get_business_info')
  assert.ok(!('insurance' in structuredContent!))
  const { tools } = resultOf(await app.ask('POST', '/mcp', newer('tools/list'))) as unknown as {
    tools: { outputSchema: { required: string[] } }[]
  }
  assert.deepEqual(tools[0]!.outputSchema.required, Object.keys(structuredContent!))
})

test('list_public_endpoints names addresses that are there', async (t) => {
  const app = openTestApp(t)
  const { content, structuredContent } = await callTool(app, 'list_public_endpoints')
  assert.ok(content[0]!.text.length < 2_200, 'it is short')
  const { base_url, endpoints } = structuredContent as {
    base_url: string
    endpoints: { method: string; path: string }[]
  }
  assert.equal(base_url, 'https://decks.example.com')
  assert.ok(endpoints.length > 15)
  for (const { method, path } of endpoints) {
    if (method !== 'GET' || path.includes('{token}')) continue
    assert.equal((await app.ask('GET', path)).status, 200, path)
  }
})

test('a lead is kept with its door, and with the agent where it is told', async (t) => {
  const app = openTestApp(t)
  const headers = { 'user-agent': 'node' }
  for (const [era, lead, agent] of [
    [older, sam, ''],
    [newer, robin, 'helper/2.1'],
  ] as const) {
    const result = await callTool(app, submit, lead, { era, headers })
    const { ok, reference, status_url: url } = result.structuredContent!
    assert.equal(ok, true)
    assert.deepEqual(JSON.parse(result.content[0]!.text), result.structuredContent)
    const kept = await app.store.leads.findByReference(String(reference))
    assert.deepEqual(
      [kept!.door, kept!.agent, kept!.userAgent, kept!.values.email],
      ['mcp', agent, 'node', lead.email_1],
    )
    assert.match(String(url), /^https:\/\/decks\.example\.com\/receipt\//)
  }
})

test('a received lead comes with a link to its receipt, in versions that know links', async (t) => {
  const app = openTestApp(t)
  const answerTo = async (version: string | undefined) => {
    const headers = { 'mcp-protocol-version': version }
    const era = version === '2026-07-28' ? newer : older
    const lead = { ...robin, email_1: `robin-${version}@example.com` }
    return callTool(app, submit, lead, { era, headers })
  }
  for (const version of ['2026-07-28', '2025-11-25', '2025-06-18']) {
    const { content, structuredContent } = await answerTo(version)
    const links = content.filter(({ type }) => type === 'resource_link')
    assert.equal(links.length, 1, version)
    assert.partialDeepStrictEqual(links[0], {
      uri: structuredContent!['status_url'],
      name: 'receipt',
      mimeType: 'application/json',
    })
  }
  // A client that names no version speaks 2025-03-26 at the latest.
  for (const version of ['2025-03-26', '2024-11-05', undefined]) {
    const { content } = await answerTo(version)
    assert.deepEqual(new Set(content.map(({ type }) => type)), new Set(['text']), version)
  }
})

test('an agent that cannot send HTTP learns to hand over the status_url', async (t) => {
  const app = openTestApp(t)
  const { content } = await callTool(app, submit, robin)
  const words = content.findLast(({ type }) => type === 'text')!.text
  assert.match(words, /If you cannot send HTTP, give the person the status_url/)
  assert.match(words, /withdraw_url.*erase_url.*another_time_url/)
  const { instructions } = resultOf(await app.ask('POST', '/mcp', newer('server/discover'))) as {
    instructions?: string
  }
  assert.match(instructions!, /erase_url.*another_time_url/)
})

test('one message is at most one lead, and a batch is none', async (t) => {
  const app = openTestApp(t)
  const call = { jsonrpc: '2.0', id: 1, method: 'tools/call' }
  const batch = Array.from({ length: 100 }, (_, id) => ({
    ...call,
    id,
    params: { name: submit, arguments: { ...sam, email_1: `sam${id}@example.com` } },
  }))
  assert.equal((await app.ask('POST', '/mcp', post(batch))).status, 400)
  assert.equal(await countLeads(app.store), 0)
  await callTool(app, submit, { ...sam, arguments: [robin], params: robin })
  assert.equal(await countLeads(app.store), 1)
})

test('GET and DELETE are not allowed, and other sites are allowed nothing', async (t) => {
  const { ask } = openTestApp(t)
  for (const method of ['GET', 'DELETE', 'PUT', 'HEAD']) {
    const answer = await ask(method, '/mcp')
    assert.equal(answer.status, 405)
    assert.match(answer.headers['allow']!, /^POST\b/)
    if (method === 'HEAD') continue
    assert.match(answer.text, /\/\.well-known\/mcp\.json/)
    assert.doesNotMatch(answer.text, /openapi/)
  }
  const preflight = await ask('OPTIONS', '/mcp', { headers: { origin: 'https://evil.org' } })
  assert.equal(preflight.status, 204)
  assert.deepEqual(
    Object.keys(preflight.headers).filter((name) => name.startsWith('access-control')),
    [],
  )
})

test('nobody can hold a stream open', async (t) => {
  const { ask } = openTestApp(t)
  const wish = { toolsListChanged: true, resourcesListChanged: true, promptsListChanged: true }
  const answer = await ask('POST', '/mcp', newer('subscriptions/listen', { notifications: wish }))
  assert.deepEqual([answer.status, answer.headers['content-type']], [200, 'text/event-stream'])
  assert.match(answer.text, /"notifications":\{\}/)
  assert.match(answer.text, /"resultType":"complete"/)
})

test('the twins of the pages can be read as resources', async (t) => {
  const { ask } = openTestApp(t)
  type Listed = { resources: { uri: string; mimeType: string }[] }
  const { resources } = resultOf(
    await ask('POST', '/mcp', older('resources/list')),
  ) as unknown as Listed
  assert.ok(resources.some(({ uri }) => uri === 'https://decks.example.com/index.md'))
  for (const { uri } of resources) {
    const read = await ask('POST', '/mcp', older('resources/read', { uri }))
    const { contents } = resultOf(read) as unknown as { contents: { text: string }[] }
    const twin = await ask('GET', new URL(uri).pathname)
    assert.equal(twin.status, 200)
    assert.ok(twin.text.includes(contents[0]!.text), uri)
  }
})

test('the receipt of a request can be read as a resource, by its status_url', async (t) => {
  const app = openTestApp(t)
  const { structuredContent } = await callTool(app, submit, robin)
  const uri = String(structuredContent!['status_url'])
  const receipt = await app.ask('GET', new URL(uri).pathname)
  for (const era of [older, newer]) {
    const listed = await app.ask('POST', '/mcp', era('resources/templates/list'))
    assert.partialDeepStrictEqual(resultOf(listed), {
      resourceTemplates: [{ uriTemplate: 'https://decks.example.com/receipt/{token}' }],
    })
    const read = resultOf(await app.ask('POST', '/mcp', era('resources/read', { uri })))
    const { contents } = read as unknown as { contents: { text: string }[] }
    assert.deepEqual(JSON.parse(contents[0]!.text), receipt.json)
    if (era === newer) assert.partialDeepStrictEqual(read, { ttlMs: 0, cacheScope: 'private' })
  }
})

test('a receipt that is not there, or cannot be looked up, is an error that says so', async (t) => {
  const app = openTestApp(t)
  const { structuredContent } = await callTool(app, submit, robin)
  const uri = String(structuredContent!['status_url'])
  const read = async (address: string) => {
    const answer = await app.ask('POST', '/mcp', older('resources/read', { uri: address }))
    return (answer.json as { error: { code: number; message: string } }).error
  }
  const missing = await read(uri.slice(0, -1))
  assert.deepEqual(
    [missing.code, missing.message.slice(0, 36)],
    [-32602, 'There is no receipt at this address.'],
  )
  app.store.leads.find = () => Promise.reject(new StorageUnavailable('away'))
  const away = await read(uri)
  assert.equal(away.code, -32603)
  assert.match(away.message, /Requests received before are safe\. Ask again in 5 seconds\./)
})

function codeOf({ json }: TestAnswer): number | undefined {
  return (json as { error?: { code: number } } | undefined)?.error?.code
}
