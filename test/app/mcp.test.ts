import assert from 'node:assert/strict'
import test from 'node:test'
import { openTestApp, type TestAnswer } from '../support/app.ts'
import { callTool, newer, older, post, resultOf } from '../support/mcp.ts'
import { probes } from '../support/mcp-probes.ts'
import { robin, sam } from '../support/people.ts'

const submit = 'submit_consultation_lead'

test('every question gets the status and the code that belong to it [4.3.mcp]', async (t) => {
  const app = openTestApp(t)
  for (const { what, request, status, code } of probes) {
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
    const params = { protocolVersion, capabilities: {}, clientInfo: { name: 'x', version: '1' } }
    const answer = await app.ask('POST', '/mcp', older('initialize', params))
    assert.partialDeepStrictEqual(resultOf(answer), { protocolVersion })
  }
})

test('get_business_info tells the facts of the business, as text and as data', async (t) => {
  const { content, structuredContent } = await callTool(openTestApp(t), 'get_business_info')
  assert.deepEqual(JSON.parse(content[0]!.text), structuredContent)
  assert.equal(structuredContent!['name'], 'Example Decks & Pergolas')
  assert.equal(structuredContent!['request_page'], 'https://decks.example.com/contact/')
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
    const kept = await app.store.findByReference(String(reference))
    assert.deepEqual(
      [kept!.door, kept!.agent, kept!.userAgent, kept!.values.email],
      ['mcp', agent, 'node', lead.email_1],
    )
    assert.match(String(url), /^https:\/\/decks\.example\.com\/receipt\//)
  }
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
  assert.equal(await app.store.countLeads(undefined, 10), 0)
  await callTool(app, submit, { ...sam, arguments: [robin], params: robin })
  assert.equal(await app.store.countLeads(undefined, 10), 1)
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

function codeOf({ json }: TestAnswer): number | undefined {
  return (json as { error?: { code: number } } | undefined)?.error?.code
}
