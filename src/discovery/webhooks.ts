/** The webhooks as OpenAPI 3.1, for the developers of the owner's own programs. */
import { fields } from '../contract/fields.ts'
import { alarms, noticeKinds, notices } from '../contract/notices.ts'
import type { NoticeKind } from '../contract/notices.ts'
import { referencePattern } from '../contract/receipt.ts'
import { retriedForMs } from '../contract/retries.ts'
import { apiVersion } from '../contract/routes.ts'
import { examples } from '../contract/schemas.ts'
import { states } from '../contract/states.ts'
import { webhookAnswerMs } from '../contract/webhooks.ts'
import { dayMs, secondMs } from '../durations.ts'
import type { Facts } from './facts.ts'

const exampleId = '019a8547-5d2c-7000-8123-456789abcdef'
const retryDays = ['one', 'two', 'three', 'four', 'five'][Math.floor(retriedForMs / dayMs) - 1]

export function describeWebhooks({ baseUrl, business }: Facts): object {
  return {
    openapi: '3.1.0',
    info: {
      title: `Webhooks: ${business.name}`,
      summary: "Signed events to the owner's own programs.",
      version: apiVersion,
      description: `Events are sent to the endpoints that the owner has set up, signed by Standard Webhooks 1.0. Answer with any 2xx status within ${webhookAnswerMs / secondMs} seconds; anything else is tried again for ${retryDays} days, and 410 ends it. The same event may come twice, with the same \`id\`. ${alarms.map((kind) => `\`${kind}\``).join(', ')} go to every endpoint. New types and members may be added.`,
      contact: { name: business.owner, url: `${baseUrl}/`, email: business.contact.email },
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: baseUrl, description: 'Where the events come from.' }],
    security: [],
    tags: [{ name: 'Webhooks', description: 'One for each type of event.' }],
    webhooks: Object.fromEntries(noticeKinds.map((kind) => [kind, { post: operationFor(kind) }])),
    components: { schemas, parameters, requestBodies },
  }
}

function operationFor(kind: NoticeKind) {
  return {
    tags: ['Webhooks'],
    operationId: `on${toWords(kind)}`,
    summary: notices[kind],
    parameters: Object.keys(parameters).map((name) => ref('parameters', name)),
    requestBody: ref('requestBodies', kind.startsWith('lead.') ? 'LeadEvent' : 'OtherEvent'),
    responses: {
      204: { description: 'Taken.' },
      410: { description: 'The endpoint wants no more of them.' },
    },
  }
}

const summary = {
  id: exampleId,
  reference: examples.reference,
  state: 'new',
  received_at: examples.receivedAt,
}

const requestBodies = {
  LeadEvent: bodyOf('About one request.', 'lead.received', {
    lead: {
      ...summary,
      state_changed_at: examples.receivedAt,
      ...Object.fromEntries(fields.map(({ name, example }) => [name, example])),
      unlisted: {},
      door: 'form',
      agent: '',
    },
  }),
  OtherEvent: bodyOf('About several requests, or the service itself.', 'leads.week', {}),
}

const schemas = {
  WebhookEvent: {
    type: 'object',
    description: 'Something the owner asked to be told of.',
    required: ['id', 'type', 'created_at', 'data'],
    properties: {
      id: text('The same for every try of the same event, and in `webhook-id`.', exampleId),
      type: {
        type: 'string',
        enum: noticeKinds,
        description: 'What happened.',
        examples: ['lead.received'],
      },
      created_at: time('When it happened, not when it was sent.'),
      data: {
        type: 'object',
        description:
          'For types that begin with `lead.` the request as `lead`; for others counts, channels and short lists.',
        properties: { lead: ref('schemas', 'WebhookLead') },
        additionalProperties: true,
      },
    },
  },
  WebhookLead: {
    type: 'object',
    description: 'A Consultation request as it stands when the event is sent.',
    required: Object.keys(summary),
    properties: {
      id: text('Names the request for good.', exampleId),
      reference: {
        type: 'string',
        pattern: referencePattern,
        description: 'Short and speakable.',
        examples: [examples.reference],
      },
      state: { type: 'string', enum: states, description: 'Where it is now.', examples: ['new'] },
      received_at: time('When it came in.'),
      state_changed_at: time('When it last moved.'),
      ...Object.fromEntries(
        fields.map(({ name, description, example }) => [name, text(description, example)]),
      ),
      unlisted: {
        type: 'object',
        description: 'Fields that the sender added.',
        additionalProperties: true,
        examples: [{ preferred_days: ['Friday'] }],
      },
      door: text('The way it came in.', 'mcp'),
      agent: text('Name and version of the agent, where it told them.', 'helper 2.1'),
    },
  },
}

const parameters = {
  WebhookId: header('webhook-id', 'Names the event: the same for every try.', exampleId),
  WebhookTimestamp: header('webhook-timestamp', 'Seconds since 1970 of this try.', '1794819600'),
  WebhookSignature: header(
    'webhook-signature',
    '`v1,` and the HMAC-SHA256 over `id.timestamp.body`, in base64.',
    'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
  ),
}

function bodyOf(description: string, type: NoticeKind, data: object) {
  const value = { id: exampleId, type, created_at: examples.receivedAt, data }
  const content = { schema: ref('schemas', 'WebhookEvent'), examples: { event: { value } } }
  return { description, required: true, content: { 'application/json': content } }
}

function ref(kind: 'schemas' | 'parameters' | 'requestBodies', name: string) {
  return { $ref: `#/components/${kind}/${name}` }
}

function toWords(kind: string): string {
  return kind.replaceAll(/(?:^|[._])(\w)/g, (_, letter: string) => letter.toUpperCase())
}

function text(description: string, example: string) {
  return { type: 'string', description, examples: [example] }
}

function time(description: string) {
  return { type: 'string', format: 'date-time', description, examples: [examples.receivedAt] }
}

function header(name: string, description: string, example: string) {
  const schema = { type: 'string', minLength: 1 }
  return { name, in: 'header', required: true, description, schema, example }
}
