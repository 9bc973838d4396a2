/** The signed events that the owner's own programs get, as `webhooks` of the API description. */
import { fields, type Field } from '../contract/fields.ts'
import { retriedForMs, noticeKinds, notices } from '../contract/notices.ts'
import { examples, receiptSchema } from '../contract/schemas.ts'
import { doorWords, states } from '../contract/states.ts'
import { receiverAnswerMs } from '../contract/webhooks.ts'
import { dayMs, secondMs } from '../time.ts'

const answerS = receiverAnswerMs / secondMs
const retryDays = Math.floor(retriedForMs / dayMs)

const { reference, received_at: receivedAt } = receiptSchema.properties
const exampleId = '019a8547-5d2c-7000-8123-456789abcdef'
const exampleLead = {
  id: exampleId,
  reference: examples.reference,
  state: 'new',
  received_at: examples.receivedAt,
  ...Object.fromEntries(fields.map(({ name, example }) => [name, example])),
}

const lead = {
  type: 'object',
  description: 'The request as it is now, in types that begin with `lead.`',
  required: ['id', 'reference', 'state', 'received_at'],
  properties: {
    id: text('Names the request for good.', exampleId),
    reference,
    state: { ...text('Where it is now.', 'new'), enum: states },
    received_at: receivedAt,
    state_changed_at: { ...receivedAt, description: 'When it last moved.' },
    ...Object.fromEntries(fields.map((field) => [field.name, keptField(field)])),
    unlisted: { type: 'object', description: 'Fields that the sender added.' },
    door: {
      ...text('The way it came in; `phone` if the owner added it after a call.', 'mcp'),
      enum: Object.keys(doorWords),
    },
    agent: text('Name and version of the agent, if it gave them.', 'helper 2.1'),
  },
}

export const webhookEventSchema = {
  type: 'object',
  description:
    'Something the owner asked to be notified of. It may come twice, with the same `id`.',
  required: ['id', 'type', 'created_at', 'data'],
  properties: {
    id: text('The same for every try, and in `webhook-id`.', exampleId),
    type: {
      ...text(noticeKinds.map((kind) => `${kind}: ${notices[kind]}`).join(' '), 'lead.received'),
      enum: noticeKinds,
    },
    created_at: { ...receivedAt, description: 'When it happened, not when it was sent.' },
    data: { type: 'object', description: 'What the type needs.', properties: { lead } },
  },
}

export const webhooks = {
  event: {
    post: {
      tags: ['Webhooks'],
      operationId: 'onEvent',
      summary: 'An event, signed by Standard Webhooks 1.0.',
      parameters: [
        header('webhook-id', 'Names the event: the same for every try.', exampleId),
        header('webhook-timestamp', 'Seconds since 1970 of this try.', '1794819600'),
        header(
          'webhook-signature',
          '`v1,` and the HMAC-SHA256 over `id.timestamp.body`, in base64.',
          'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
        ),
      ],
      requestBody: {
        required: true,
        content: {
          'application/json': {
            schema: { $ref: '#/components/schemas/WebhookEvent' },
            example: {
              id: exampleId,
              type: 'lead.received',
              created_at: examples.receivedAt,
              data: { lead: exampleLead },
            },
          },
        },
      },
      responses: {
        '2XX': {
          description: `Accepted. Any other answer, or none within ${answerS} seconds, is retried for ${retryDays} days.`,
        },
        410: { description: 'The endpoint wants no more events.' },
      },
    },
  },
}

/** Without the rules for sending: the owner may add a request that has only a name or a number. */
function keptField({ description, required }: Field) {
  const missing = required ? ' Empty if the owner added the request without it.' : ''
  return { type: 'string', description: description + missing }
}

function text(description: string, example: string) {
  return { type: 'string', description, examples: [example] }
}

function header(name: string, description: string, example: string) {
  return { name, in: 'header', required: true, description, schema: { type: 'string' }, example }
}
