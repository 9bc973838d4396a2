/** JSON Schemas of the API, derived from the fields and errors of the contract. */
import { errors, exampleWords } from './errors.ts'
import { emailPattern, fields, keyName, trapName, type Field } from './fields.ts'
import { idempotencyKeyLength, longestAsking, mostPhotos } from './limits.ts'
import { photoSize } from './photos.ts'
import {
  receiptMessages,
  receiptTokenPattern,
  receivedMessage,
  referencePattern,
} from './receipt.ts'
import { exampleKey } from './idempotency-key.ts'
import { routes } from './routes.ts'

export type Schema = { readonly [keyword: string]: unknown }

export type ObjectSchema = Schema & {
  readonly type: 'object'
  readonly properties: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
}

export const examples = {
  key: exampleKey,
  reference: 'C-7K3QM-4X92P',
  token: '019a85d06c007a1f9e4ad27b0c93e85f1d46a8b7c20e354f6d3b90c1e2a7584c',
  receivedAt: '2026-11-15T09:00:00.000Z',
  changedAt: '2026-11-16T21:30:00.000Z',
  visitAt: '2026-11-19T04:00:00.000Z',
  askedAt: '2026-11-17T05:40:00.000Z',
} as const

export const exampleReceiptUrl = `https://www.example.com${routes.receipt.path}${examples.token}`

export const leadRequestSchema: ObjectSchema = {
  type: 'object',
  description:
    'A request for a Consultation. `null` counts as left out. Unlisted properties are allowed: they are stored with the request and never acted upon.',
  required: fields.filter(({ required }) => required).map(({ name }) => name),
  properties: {
    ...Object.fromEntries(fields.map((field) => [field.name, toSchema(field)])),
    [trapName]: text('Honeypot. People and well-meaning agents leave it empty or out.', '', {
      default: '',
    }),
    [keyName]: text(
      'The Idempotency-Key, for clients that cannot set a header. A random UUID of your own, one for each new request; send the same one again with every retry of it.',
      examples.key,
      { minLength: idempotencyKeyLength.min, maxLength: idempotencyKeyLength.max },
    ),
  },
  additionalProperties: true,
}

export const leadHealthSchema: ObjectSchema = {
  type: 'object',
  description: 'The service can take requests now.',
  required: ['status'],
  properties: {
    status: { type: 'string', const: 'ok', description: 'Always `ok`.', examples: ['ok'] },
  },
}

export const leadSuccessSchema: ObjectSchema = {
  type: 'object',
  description: 'The request was received: it is committed to storage.',
  required: ['ok', 'message'],
  properties: {
    ok: { type: 'boolean', const: true, description: 'Always `true`.', examples: [true] },
    message: text(
      'Confirmation to show to the person. It says so if the postcode is outside the areas.',
      receivedMessage,
    ),
    reference: referenceSchema(),
    status_url: uri(
      'Private address of the receipt. Give it only to the person: anyone who has it can see what has become of the request, withdraw it and erase it.',
    ),
    receipt_token: text(
      'The last part of `status_url`: the `token` of all operations on a receipt.',
      examples.token,
      { pattern: receiptTokenPattern },
    ),
    unlisted: {
      type: 'array',
      description:
        'Only when there are any: names of fields that were sent and are not listed. They are stored, and not read as any listed field.',
      items: { type: 'string' },
      minItems: 1,
      examples: [['colour']],
    },
  },
}

export const apiErrorSchema: ObjectSchema = {
  type: 'object',
  description: 'What went wrong, and how to go on.',
  required: ['code', 'message', 'resolution'],
  properties: {
    code: {
      type: 'string',
      description: 'Machine-readable and stable. More codes may be added.',
      pattern: '^[A-Z][A-Z_]*$',
      minLength: 1,
      examples: Object.keys(errors),
    },
    message: text('Summary of the error for a person.', errors.VALIDATION_ERROR.message),
    resolution: text(
      'How to fix the request, or when to send it again.',
      errors.VALIDATION_ERROR.resolution,
    ),
    details: {
      // Without `type`, because any JSON is allowed. The properties are what this service sends today.
      description: 'Optional, and of any type. Where fields are wrong, an object that names them.',
      properties: {
        fields: {
          type: 'array',
          description: 'One for each field that is wrong. What was sent is not repeated.',
          minItems: 1,
          items: {
            type: 'object',
            description: 'A field that is wrong.',
            required: ['field', 'problem', 'example'],
            properties: {
              field: text('Its name.', fields[1].name),
              problem: text('What is wrong with it.', 'is missing'),
              example: text('A value that would be right.', fields[1].example),
            },
          },
        },
      },
    },
  },
}

export const apiErrorEnvelopeSchema: ObjectSchema = {
  type: 'object',
  description: 'Every error has this shape.',
  required: ['error'],
  properties: { error: apiErrorSchema },
}

export const anotherTimeSchema: ObjectSchema = {
  type: 'object',
  description: 'What the person who sent the request says about the time.',
  required: ['words'],
  properties: {
    words: text('Which days and hours suit the person.', exampleWords, {
      minLength: 1,
      maxLength: longestAsking,
    }),
  },
}

export const receiptSchema: ObjectSchema = {
  type: 'object',
  description: 'What has become of a request. It shows no personal details.',
  required: ['reference', 'status', 'message', 'received_at', 'changed_at', 'can_withdraw'],
  properties: {
    reference: referenceSchema(),
    status: {
      type: 'string',
      enum: Object.keys(receiptMessages),
      description: 'The state of the request, as its sender sees it.',
      examples: ['received'],
    },
    message: text('What the status means, in a sentence.', receiptMessages.received),
    received_at: time('When the request was received.', examples.receivedAt),
    changed_at: time(
      'When the status last changed; not when the Consultation is.',
      examples.changedAt,
    ),
    visit_at: time(
      'When the Consultation is. Only while it is booked and the time is shown.',
      examples.visitAt,
    ),
    calendar_url: uri(
      'The Consultation as a calendar file (RFC 5545), without the address. Only with `visit_at`.',
    ),
    another_time_url: uri(
      'Where a POST with the field `words` asks for another time. The booked time stays until I answer. Only before the time of `visit_at`.',
    ),
    asked_at: time(
      'When another time was asked for. Only with `visit_at`, and until I have answered.',
      examples.askedAt,
    ),
    can_withdraw: {
      type: 'boolean',
      description: 'Whether it can be withdrawn now.',
      examples: [true],
    },
    withdraw_url: uri('Where a POST without a body withdraws it. Only while it can be withdrawn.'),
    erase_url: uri(
      'Where a POST without a body erases its details. Only while the sender can erase them.',
    ),
    photos_url: uri(
      `Where a POST adds one photo: its bytes as image/jpeg, image/png or image/webp, at most ${photoSize}. Only while there is room for one.`,
    ),
    photos: {
      type: 'array',
      description: 'The photos that were sent with the request. Only if there are any.',
      maxItems: mostPhotos,
      items: {
        type: 'object',
        description: 'A photo.',
        required: ['url', 'remove_url'],
        properties: {
          url: uri('The photo as JPEG.'),
          remove_url: uri('Where a POST without a body removes it for good.'),
        },
      },
    },
  },
}

function toSchema(field: Field): Schema {
  return {
    type: 'string',
    title: field.label,
    description: field.description,
    ...(field.required && { minLength: 1 }),
    maxLength: field.maxLength,
    // The pattern is the exact rule. The format is for programs that do not check patterns.
    ...(field.input === 'email' && { format: 'email', pattern: emailPattern }),
    examples: [field.example],
  }
}

function referenceSchema(): Schema {
  const { length } = examples.reference
  return text('Short reference of the request, to say over the phone.', examples.reference, {
    pattern: referencePattern,
    minLength: length,
    maxLength: length,
  })
}

function time(description: string, example: string): Schema {
  return text(`${description} RFC 3339, UTC.`, example, { format: 'date-time' })
}

/** Has no example of its own, because the examples of whole answers have every address. */
function uri(description: string): Schema {
  return { type: 'string', description, format: 'uri' }
}

function text(description: string, example: string, rules: Schema = { minLength: 1 }): Schema {
  return { type: 'string', description, ...rules, examples: [example] }
}
