/** The webhooks of the API description. */
import { fields } from '../contract/fields.ts'
import { noticeKinds, notices } from '../contract/notices.ts'
import type { NoticeKind } from '../contract/notices.ts'
import { referencePattern } from '../contract/receipt.ts'
import { examples } from '../contract/schemas.ts'
import { states } from '../contract/states.ts'
import { retriedForMs } from '../contract/retries.ts'
import { webhookAnswerMs } from '../contract/webhooks.ts'
import { dayMs, secondMs } from '../durations.ts'

const exampleId = '019a8547-5d2c-7000-8123-456789abcdef'

export const webhookSchemas = {
  WebhookEvent: {
    type: 'object',
    description: 'Something the owner asked to be told of.',
    required: ['id', 'type', 'created_at', 'data'],
    properties: {
      id: text('The same for every try of the same event, and in `webhook-id`.', exampleId),
      type: {
        type: 'string',
        enum: noticeKinds,
        description: 'What happened. New types may be added.',
        examples: ['lead.received'],
      },
      created_at: time('When it happened, not when it was sent.'),
      data: {
        type: 'object',
        description:
          'For types that begin with `lead.` the request as `lead`; for others counts, channels and short lists. New members may be added.',
        properties: { lead: { $ref: '#/components/schemas/WebhookLead' } },
        additionalProperties: true,
      },
    },
  },
  WebhookLead: {
    type: 'object',
    description: 'A Consultation request as it stands when the event is sent.',
    required: ['id', 'reference', 'state', 'received_at'],
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

export const webhookParameters = {
  WebhookId: header('webhook-id', 'Names the event: the same for every try.', exampleId),
  WebhookTimestamp: header('webhook-timestamp', 'Seconds since 1970 of this try.', '1794819600'),
  WebhookSignature: header(
    'webhook-signature',
    'Standard Webhooks 1.0: `v1,` and the HMAC-SHA256 over `id.timestamp.body`, in base64.',
    'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
  ),
}

const retryDays = ['one', 'two', 'three', 'four', 'five'][Math.floor(retriedForMs / dayMs) - 1]

export const webhooks = Object.fromEntries(
  noticeKinds.map((kind) => [kind, { post: operationFor(kind) }]),
)

function operationFor(kind: NoticeKind) {
  return {
    tags: ['Webhooks'],
    operationId: `on${toWords(kind)}`,
    summary: notices[kind],
    description: `${notices[kind]} Sent to the endpoints that the owner has set up. Answer with any 2xx status within ${webhookAnswerMs / secondMs} seconds; anything else is tried again for ${retryDays} days, and 410 ends it.`,
    parameters: Object.keys(webhookParameters).map((name) => ({
      $ref: `#/components/parameters/${name}`,
    })),
    requestBody: {
      description: 'The event, signed.',
      required: true,
      content: {
        'application/json': {
          schema: { $ref: '#/components/schemas/WebhookEvent' },
          examples: { event: { summary: notices[kind], value: exampleFor(kind) } },
        },
      },
    },
    responses: {
      204: { description: 'Taken.' },
      410: { description: 'The endpoint wants no more of them.' },
    },
  }
}

function exampleFor(kind: NoticeKind) {
  const { reference, receivedAt } = examples
  const summary = { id: exampleId, reference, state: 'new', received_at: receivedAt }
  const values = fields.map(({ name, example }) => [name, example])
  const data = kind.startsWith('lead.')
    ? {
        lead: {
          ...summary,
          ...Object.fromEntries(values),
          unlisted: {},
          door: 'form',
          agent: '',
        },
      }
    : {}
  return { id: exampleId, type: kind, created_at: receivedAt, data }
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
