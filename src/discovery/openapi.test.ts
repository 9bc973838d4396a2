import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'node:test'
import { promisify } from 'node:util'
import { documents, type DocumentName } from '../contract/documents.ts'
import { errors, noReceipt, noVisit, wrongWords, type ErrorEnvelope } from '../contract/errors.ts'
import { fields } from '../contract/fields.ts'
import { noticeKinds } from '../contract/notices.ts'
import { routes } from '../contract/routes.ts'
import { doorWords, states } from '../contract/states.ts'
import { listPublicEndpoints } from '../contract/tools.ts'
import { readYaml, toYaml } from '../site/yaml.ts'
import { writeDocuments } from './documents.ts'
import { describeApi } from './openapi.ts'
import { facts } from '../../test/support/sample-facts.ts'

type Response = {
  $ref?: string
  content?: Record<
    string,
    { schema: { $ref: string }; examples?: Record<string, { value: unknown }> }
  >
}
type Operation = {
  operationId: string
  tags: string[]
  requestBody?: { required: boolean; content: Record<string, { schema: { $ref: string } }> }
  responses: Record<string, Response>
  security?: unknown
}

const api = JSON.parse(JSON.stringify(describeApi(facts)))
const lead: Record<string, Operation> = api.paths['/api/lead']
const operations = Object.values(api.paths as Record<string, Record<string, Operation>>).flatMap(
  (byMethod) => Object.values(byMethod),
)

function resolve(response: Response): Response {
  return response.$ref === undefined
    ? response
    : api.components.responses[response.$ref.split('/').at(-1)!]
}

const written = writeDocuments(facts)

function bodyOf(name: DocumentName): string {
  const { body } = written.find(({ path }) => path === documents[name].path)!
  assert.ok(typeof body === 'function')
  return String(body())
}

test('the description is OpenAPI 3.1.0, version 1.0.0, of this very site [9.version]', () => {
  assert.equal(api.openapi, '3.1.0')
  assert.equal(api.info.version, '1.0.0')
  assert.equal(api.servers[0].url, facts.baseUrl)
})

test('no security scheme is declared, and no operation asks for one [5.description]', () => {
  assert.deepEqual(api.security, [])
  assert.equal(api.components.securitySchemes, undefined)
  for (const operation of operations) assert.equal(operation.security, undefined)
})

test('the description promises no closed connection: past every limit the answer is a 429', () => {
  const [, limits = ''] = /^## Limits$([^]*?)^## /m.exec(api.info.description) ?? []
  assert.match(limits, /requests in one minute by POST .*, the answer is 429\./)
  assert.doesNotMatch(limits, /connection|no body/)
})

test('the lead endpoint is described as specified [4.3.openapi]', () => {
  assert.equal(lead.get!.operationId, 'getLeadHealth')
  assert.equal(lead.post!.operationId, 'submitConsultationLead')
  assert.deepEqual(lead.get!.tags, ['Leads'])
  assert.deepEqual(lead.post!.tags, ['Leads'])
  const { required, content } = lead.post!.requestBody!
  assert.equal(required, true)
  assert.deepEqual(
    Object.entries(content).map(([type, { schema }]) => [type, schema.$ref]),
    [
      ['application/json', '#/components/schemas/LeadRequest'],
      ['application/x-www-form-urlencoded', '#/components/schemas/LeadRequest'],
    ],
  )
  for (const status of ['200', '303', '400', '413', '422', '429', '503']) {
    assert.ok(lead.post!.responses[status], status)
  }
  assert.deepEqual(api.components.headers.FormLocation.schema.enum, ['/thanks/', '/contact/'])
  assert.deepEqual(Object.keys(api.components.schemas), [
    'LeadRequest',
    'LeadHealth',
    'LeadSuccess',
    'ApiErrorEnvelope',
    'ApiError',
    'Receipt',
    'AnotherTime',
    'WebhookEvent',
  ])
})

test('every operation of the contract is described, and listed for agents', () => {
  const { mcp: _, ...described } = routes
  const all = Object.values(described).flatMap((route) => Object.values(route.operations))
  const ids = operations.map(({ operationId }) => operationId)
  assert.deepEqual(new Set(ids), new Set(all.map(({ id }) => id)))
  const listed = listPublicEndpoints('', facts.business).endpoints.map(({ purpose }) => purpose)
  for (const { summary } of all) assert.ok(listed.includes(summary), summary)
})

test('asking for another time is described: what to send, what comes back, what can go wrong', () => {
  const { post } = api.paths['/receipt/{token}/another-time']
  const { content, required } = post.requestBody
  assert.equal(required, true)
  for (const type of ['application/json', 'application/x-www-form-urlencoded']) {
    const { schema, example } = content[type]
    assert.equal(schema.$ref, '#/components/schemas/AnotherTime')
    assert.ok(example.words)
  }
  const { required: needed, properties } = api.components.schemas.AnotherTime
  assert.deepEqual([needed, properties.words.maxLength], [['words'], 1_000])
  const { value } = post.responses[200].content['application/json'].examples.asked
  assert.deepEqual([value.status, typeof value.asked_at], ['consultation_booked', 'string'])
  assert.deepEqual(Object.keys(post.responses), [
    '200',
    '303',
    '400',
    '404',
    '409',
    '429',
    '500',
    '503',
  ])
})

test('every error is shown under its own status, in the words it will have', () => {
  for (const { responses } of operations) {
    for (const [status, response] of Object.entries(responses)) {
      if (Number(status) < 400) continue
      const { content = {} } = resolve(response)
      const shown = Object.values(content['application/json']!.examples!)
      for (const { value } of shown) {
        const { code, message } = (value as ErrorEnvelope).error
        assert.equal(errors[code].status, Number(status))
        const own = [noReceipt, noVisit, wrongWords].filter(({ error }) => error.code === code)
        const words = [errors[code], ...own.map(({ error }) => error)]
        assert.ok(words.some((each) => message.startsWith(each.message)))
      }
    }
  }
})

test('the webhook is described, with every type and the lead it tells of', () => {
  const { webhooks, components } = JSON.parse(bodyOf('openapi'))
  const { schema, example } = webhooks.event.post.requestBody.content['application/json']
  assert.equal(schema.$ref, '#/components/schemas/WebhookEvent')
  const { type, data } = components.schemas.WebhookEvent.properties
  assert.deepEqual(type.enum, noticeKinds)
  const { properties, required } = data.properties.lead
  for (const { name } of fields) assert.ok(properties[name], name)
  for (const name of required) assert.ok(example.data.lead[name], name)
  assert.deepEqual(properties.state.enum, states)
  assert.deepEqual(properties.door.enum, Object.keys(doorWords))
  // A request that the owner added after a call may lack both.
  const { email_1: email, name_1: name } = properties
  assert.deepEqual(
    [email.minLength, email.pattern, email.format],
    [undefined, undefined, undefined],
  )
  assert.equal(name.minLength, undefined)
  assert.match(email.description, /Empty /)
})

test('the YAML says the same', () => {
  assert.deepEqual(readYaml(toYaml(describeApi(facts)), 'openapi.yaml').value, api)
})

test('the description passes the strictest rules and is easy for agents [4.3.openapi]', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'descriptions-'))
  t.after(() => rmSync(folder, { recursive: true }))
  // The rules rightly refuse a server at example.com.
  const real = { ...facts, baseUrl: 'https://decks.example' }
  writeFileSync(join(folder, 'openapi.json'), JSON.stringify(describeApi(real)))
  const redocly = (...words: string[]) =>
    promisify(execFile)(join(process.cwd(), 'node_modules/.bin/redocly'), words, {
      cwd: folder,
      env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
    })
  const strictly = ['--extends=recommended-strict', '--format=json']
  const linted = await redocly('lint', ...strictly, 'openapi.json')
  assert.deepEqual(JSON.parse(linted.stdout).problems, [])
  const scored = await redocly('score', '--format=json', 'openapi.json')
  assert.ok(JSON.parse(scored.stdout).agentReadiness >= 91)
})
