import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import test from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { mcpServer, protocolVersions, toolsOf } from '../contract/tools.ts'
import { describeServer, writeAiCatalog } from './cards.ts'
import { facts } from '../../test/support/sample-facts.ts'

const addresses = [facts.baseUrl, 'http://localhost:3000', 'http://127.0.0.1:3000', 'http://[::1]']

function validatorOf(file: string, definition = '') {
  const schema = JSON.parse(readFileSync(`test/data/schemas/${file}`, 'utf8'))
  const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true })
  return ajv.addSchema(schema, 'schema').getSchema(`schema${definition}`)!
}

test('the card is a valid server card, wherever the service runs [4.3.card]', () => {
  const isCard = validatorOf('server-card.schema.json', '#/$defs/ServerCard')
  for (const baseUrl of addresses) {
    assert.ok(isCard(describeServer({ ...facts, baseUrl })), JSON.stringify(isCard.errors))
  }
})

test('a card tells where the endpoint is, what it speaks, and all three tools [4.3.card]', () => {
  const card = JSON.parse(JSON.stringify(describeServer(facts)))
  assert.equal(card.name, 'com.example.decks/consultation')
  assert.deepEqual(card.remotes, [
    {
      type: 'streamable-http',
      url: 'https://decks.example.com/mcp',
      supportedProtocolVersions: [...protocolVersions],
    },
  ])
  assert.equal(card.transport.endpoint, card.remotes[0].url)
  assert.deepEqual(card.serverInfo, {
    name: mcpServer.name,
    title: mcpServer.title,
    version: mcpServer.version,
  })
  assert.deepEqual(
    card.tools.map(({ name }: { name: string }) => name),
    ['get_business_info', 'list_public_endpoints', 'submit_consultation_lead'],
  )
  const told = toolsOf(facts.business).map(({ outputSchema: _output, ...tool }) => tool)
  assert.deepEqual(card.tools, JSON.parse(JSON.stringify(told)))
  assert.match(card.tools[2].description, new RegExp(`to me, ${facts.business.owner};`))
})

test('the AI catalog is valid, wherever the service runs', () => {
  const isCatalog = validatorOf('ai-catalog.schema.json')
  for (const baseUrl of addresses) {
    for (const pages of [facts.pages, []]) {
      const catalog = writeAiCatalog({ ...facts, baseUrl, pages })
      assert.ok(isCatalog(catalog), JSON.stringify(isCatalog.errors))
    }
  }
})
