import assert from 'node:assert/strict'
import test from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { LeadIds } from '../lead/ids.ts'
import { newReference } from '../store/leads/reference.ts'
import { readBusiness } from '../site/business.ts'
import { toBusinessInfo } from './business.ts'
import { checkFields } from './check-fields.ts'
import { errorEnvelope, errors, type ErrorCode } from './errors.ts'
import { fields, keyName, trapName } from './fields.ts'
import { receiptTokenPattern, receivedMessage, toReceipt } from './receipt.ts'
import {
  apiErrorEnvelopeSchema,
  leadRequestSchema,
  leadSuccessSchema,
  receiptSchema,
  type Schema,
} from './schemas.ts'
import { states } from './states.ts'
import { listPublicEndpoints, tools, toolsOf } from './tools.ts'

const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true })
const leadIds = new LeadIds(Buffer.alloc(32, 7))
const names = {
  reference: newReference(Date.UTC(2026, 10, 15)),
  token: leadIds.tokenOf(leadIds.next(Date.UTC(2026, 10, 15))),
}

function assertValid(schema: Schema, value: unknown): void {
  const validate = ajv.compile(schema)
  assert.ok(validate(value), JSON.stringify(validate.errors))
}

test('the published request has the fields of the contract, and so has the tool, without the trap', () => {
  const listed = fields.map(({ name }) => name)
  const tool = tools.submitConsultationLead.inputSchema
  assert.deepEqual(Object.keys(leadRequestSchema.properties), [...listed, trapName, keyName])
  assert.deepEqual(Object.keys(tool.properties), [...listed, keyName])
  for (const schema of [leadRequestSchema, tool]) {
    assert.deepEqual(schema.required, ['name_1', 'email_1'])
    assert.equal(schema.additionalProperties, true)
    for (const { name, maxLength } of fields) {
      assert.equal(schema.properties[name]!.maxLength, maxLength)
    }
  }
})

test('the trap is the only field with a default, the empty string [2.1.botcheck]', () => {
  const presets = Object.entries(leadRequestSchema.properties)
    .filter(([, schema]) => 'default' in schema)
    .map(([name, schema]) => [name, schema['default']])
  assert.deepEqual(presets, [[trapName, '']])
})

test('the details of an error may be any JSON, and those of fields have their shape [2.4]', () => {
  const { error } = errorEnvelope('VALIDATION_ERROR')
  for (const details of [null, 1, 'x', true, [], ['x'], {}, { a: 1 }]) {
    assertValid(apiErrorEnvelopeSchema, { error: { ...error, details } })
  }
  const isEnvelope = ajv.compile(apiErrorEnvelopeSchema)
  assert.equal(isEnvelope({ error: { ...error, details: { fields: [{ field: 7 }] } } }), false)
})

test('the published request takes and refuses what the check takes and refuses', () => {
  const isRequest = ajv.compile(leadRequestSchema)
  const robin = { name_1: 'Robin', email_1: 'robin@example.com' }
  for (const body of [
    robin,
    { ...robin, phone_1: '', text_1: '2480', textarea_1: 'A deck.', colour: ['red'] },
    { ...robin, name_1: '🪵'.repeat(200) },
    { ...robin, name_1: '🪵'.repeat(201) },
    { ...robin, name_1: '' },
    { ...robin, name_1: 7 },
    { ...robin, phone_1: 7 },
    { ...robin, textarea_1: 'x'.repeat(10_001) },
    ...['robin', 'robin@example', 'a..b@example.com', `${'r'.repeat(65)}@example.com`].map(
      (email_1) => ({ ...robin, email_1 }),
    ),
    { name_1: 'Robin' },
    {},
  ]) {
    assert.equal(isRequest(body), checkFields(body).problems.length === 0, JSON.stringify(body))
  }
  // Clients that send null are understood, but fields are published as texts.
  const withNull = { ...robin, phone_1: null }
  assert.deepEqual([isRequest(withNull), checkFields(withNull).problems], [false, []])
})

test('answers are as published', () => {
  assertValid(leadSuccessSchema, { ok: true, message: receivedMessage })
  assertValid(leadSuccessSchema, {
    ok: true,
    message: receivedMessage,
    reference: names.reference,
    status_url: `https://decks.example.com/receipt/${names.token}`,
  })
  for (const code of Object.keys(errors) as ErrorCode[]) {
    assertValid(apiErrorEnvelopeSchema, errorEnvelope(code, checkFields({}).problems))
    assertValid(apiErrorEnvelopeSchema, { error: { ...errorEnvelope(code).error, details: null } })
  }
  for (const state of states) {
    const lead = { reference: names.reference, state, receivedAt: 0, stateChangedAt: 1 }
    for (const metAt of [undefined, 2]) {
      assertValid(receiptSchema, toReceipt(lead, 'https://decks.example.com/receipt/x', { metAt }))
    }
  }
  assert.match(names.token, new RegExp(receiptTokenPattern))
})

test('tools give what they say they give', () => {
  const baseUrl = 'https://decks.example.com'
  const business = readBusiness('content/business.yaml')
  const [info, list] = toolsOf(business).map(({ outputSchema }) => outputSchema)
  assertValid(info!, toBusinessInfo(business, baseUrl))
  assertValid(list!, listPublicEndpoints(baseUrl, business))
  assert.partialDeepStrictEqual(info!.properties['hours'], {
    items: { required: ['days', 'opens', 'closes'], properties: { opens: { type: 'string' } } },
  })
  const { base_url, endpoints } = listPublicEndpoints(baseUrl, business)
  const urls = endpoints.map(({ method, path }) => `${method} ${base_url}${path}`)
  for (const endpoint of [
    'GET https://decks.example.com/api/lead',
    'POST https://decks.example.com/api/lead',
    'POST https://decks.example.com/receipt/{token}/withdraw',
    'POST https://decks.example.com/mcp',
    'GET https://decks.example.com/llms.txt',
  ]) {
    assert.ok(urls.includes(endpoint), endpoint)
  }
})
