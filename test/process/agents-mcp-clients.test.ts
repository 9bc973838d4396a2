import assert from 'node:assert/strict'
import { join } from 'node:path'
import test from 'node:test'
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as OldTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import {
  Client,
  ProtocolError,
  StreamableHTTPClientTransport,
  type VersionNegotiationMode,
} from '@modelcontextprotocol/client'
import { robin, sam } from '../support/leads.ts'
import { temporaryFolder } from '../support/service.ts'
import { startServiceHere } from '../support/service-here.ts'
import { readStored } from '../support/stored.ts'

const submit = 'submit_consultation_lead'

/** A client's mode, and the version that it agrees on with us. */
const modes: [mode: VersionNegotiationMode | undefined, version: string, agent: string][] = [
  [undefined, '2025-11-25', ''],
  ['auto', '2026-07-28', 'helper/2.1'],
  [{ pin: '2026-07-28' }, '2026-07-28', 'helper/2.1'],
]

for (const [mode, version, agent] of modes) {
  const name = mode === undefined ? 'default' : JSON.stringify(mode)
  test(`the official client finds and uses the tools, mode ${name} [4.3.mcp]`, async (t) => {
    const dataDir = temporaryFolder(t)
    const service = await startServiceHere(t, { dataDir })
    const client = new Client(
      { name: 'helper', version: '2.1' },
      mode === undefined ? {} : { versionNegotiation: { mode } },
    )
    await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', service.url)))
    t.after(() => client.close())
    assert.equal(client.getNegotiatedProtocolVersion(), version)

    const { tools } = await client.listTools()
    assert.equal(tools.length, 3)
    const told = await client.callTool({ name: 'get_business_info' })
    assert.equal((told.structuredContent as { owner: string }).owner, 'Sam')

    const wrong = await client.callTool({ name: submit, arguments: { ...sam, email_1: 'sam@' } })
    assert.equal(wrong.isError, true)
    await assert.rejects(
      client.callTool({ name: 'nothing' }),
      (error) => error instanceof ProtocolError && error.code === -32602,
    )
    for (const lead of [robin, sam]) {
      const { structuredContent } = await client.callTool({ name: submit, arguments: lead })
      assert.equal((structuredContent as { ok: boolean }).ok, true)
    }
    const { resources } = await client.listResources()
    const page = await client.readResource({ uri: resources[0]!.uri })
    assert.equal(page.contents.length, 1)

    await client.close()
    await service.stop()
    const { leads } = readStored(join(dataDir, 'leads.sqlite'))
    assert.deepEqual(
      leads.map((lead) => [lead.values.email, lead.door, lead.agent]),
      [
        [robin.email_1, 'mcp', agent],
        [sam.email_1, 'mcp', agent],
      ],
    )
  })
}

test('the official client of the years before finds and uses the tools [4.3.mcp]', async (t) => {
  const service = await startServiceHere(t, { dataDir: temporaryFolder(t) })
  const client = new OldClient({ name: 'helper', version: '1.0' })
  await client.connect(new OldTransport(new URL('/mcp', service.url)))
  t.after(() => client.close())
  // From here on it holds every result against the schema of its tool.
  assert.equal((await client.listTools()).tools.length, 3)
  for (const name of ['get_business_info', 'list_public_endpoints']) {
    assert.ok((await client.callTool({ name })).structuredContent)
  }
  assert.equal((await client.callTool({ name: submit, arguments: {} })).isError, true)
  const { structuredContent } = await client.callTool({ name: submit, arguments: robin })
  assert.equal((structuredContent as { ok: boolean }).ok, true)
  await assert.rejects(client.callTool({ name: 'nothing' }), { code: -32602 })
})
