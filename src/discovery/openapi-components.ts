/** The parts that the API description refers to: schemas, parameters, headers and responses. */
import { checkFields } from '../contract/check-fields.ts'
import { errorEnvelope, noReceipt, type ErrorCode, type ErrorEnvelope } from '../contract/errors.ts'
import { exampleRequest, fields, optionOf } from '../contract/fields.ts'
import { hardLimit, heldLimit, idempotencyKeyLength } from '../contract/limits.ts'
import { receiptTokenPattern } from '../contract/receipt.ts'
import { contactPath, routes, thanksPath } from '../contract/routes.ts'
import {
  anotherTimeSchema,
  apiErrorEnvelopeSchema,
  apiErrorSchema,
  examples,
  leadHealthSchema,
  leadRequestSchema,
  leadSuccessSchema,
  receiptSchema,
  type ObjectSchema,
} from '../contract/schemas.ts'
import { webhookEventSchema } from './webhooks.ts'

const windowS = hardLimit.windowMs / 1000

export const retryAfterHeader = { 'Retry-After': ref('headers', 'RetryAfter') }
export const quota = {
  'RateLimit-Policy': ref('headers', 'RateLimitPolicy'),
  RateLimit: ref('headers', 'RateLimit'),
}

export const components = {
  schemas: {
    LeadRequest: withOptions(leadRequestSchema),
    LeadHealth: leadHealthSchema,
    LeadSuccess: leadSuccessSchema,
    ApiErrorEnvelope: {
      ...apiErrorEnvelopeSchema,
      properties: { error: ref('schemas', 'ApiError') },
    },
    ApiError: apiErrorSchema,
    Receipt: receiptSchema,
    AnotherTime: anotherTimeSchema,
    WebhookEvent: webhookEventSchema,
  },
  parameters: {
    IdempotencyKey: {
      name: 'Idempotency-Key',
      in: 'header',
      description: 'A random UUID (version 4 or 7) of your own: one for each new request.',
      schema: {
        type: 'string',
        minLength: idempotencyKeyLength.min,
        maxLength: idempotencyKeyLength.max,
      },
      example: examples.key,
    },
    ReceiptToken: {
      name: 'token',
      in: 'path',
      required: true,
      description: 'The `receipt_token` of a request. Private to whoever sent it.',
      schema: { type: 'string', pattern: receiptTokenPattern },
      example: examples.token,
    },
  },
  headers: {
    RetryAfter: header(
      'Seconds to wait before sending the same request again.',
      { type: 'integer', minimum: 1, maximum: heldLimit.windowMs / 1000 },
      5,
    ),
    RateLimit: header(
      'What is left of the limit (`r`), and in how many seconds it is reset (`t`).',
      { pattern: '^"leads";r=\\d+;t=\\d+$' },
      `"leads";r=${hardLimit.requests - 1};t=${windowS}`,
    ),
    RateLimitPolicy: header(
      'The limit: `q` requests in `w` seconds from one address.',
      { pattern: '^"leads";q=\\d+;w=\\d+$' },
      `"leads";q=${hardLimit.requests};w=${windowS}`,
    ),
    IdempotentReplayed: header(
      'Sent when the answer repeats that to an earlier request with the same key.',
      { const: 'true' },
      'true',
    ),
    FormLocation: header(
      'Where the browser goes next.',
      { enum: [thanksPath, contactPath] },
      thanksPath,
    ),
    ReceiptLocation: header('The receipt.', { minLength: 1 }, routes.receipt.path + examples.token),
  },
  examples: {
    shortest: {
      summary: 'Name and email only',
      value: exampleRequest,
    },
    full: {
      summary: 'Everything filled in',
      value: Object.fromEntries(fields.map(({ name, example }) => [name, example])),
    },
  },
  responses: {
    // The HTML page that browsers get is left out, because it would give generated clients vague types.
    NoReceipt: errorResponse(['NOT_FOUND']),
    InvalidTransition: errorResponse(['INVALID_TRANSITION']),
    RateLimited: errorResponse(['RATE_LIMITED'], { ...retryAfterHeader, ...quota }),
    InternalError: errorResponse(['INTERNAL_ERROR']),
    StorageUnavailable: errorResponse(['STORAGE_UNAVAILABLE'], retryAfterHeader),
    LookupUnavailable: errorResponse(['LOOKUP_UNAVAILABLE'], retryAfterHeader),
    ToReceipt: {
      description:
        'To a client that names `text/html`: on to the receipt, which says what came of it.',
      headers: { Location: ref('headers', 'ReceiptLocation') },
    },
  },
}

/** The command `consult` reads from the description which option gives which field. */
function withOptions(schema: ObjectSchema): ObjectSchema {
  const properties = fields.map((field) => {
    return [field.name, { ...schema.properties[field.name], 'x-option': optionOf(field) }]
  })
  return { ...schema, properties: { ...schema.properties, ...Object.fromEntries(properties) } }
}

type Kind = 'schemas' | 'parameters' | 'headers' | 'examples' | 'responses'

export function ref(kind: Kind, name: string) {
  return { $ref: `#/components/${kind}/${name}` }
}

/** An envelope is for an error that has words of its own in this operation. */
export function errorResponse(causes: readonly (ErrorCode | ErrorEnvelope)[], headers?: object) {
  const envelopes = causes.map((cause) =>
    typeof cause === 'string' ? exampleEnvelope(cause) : cause,
  )
  const shown = envelopes.map((value) => [value.error.code, { value }])
  return {
    description: envelopes.map(({ error }) => `\`${error.code}\``).join(' or '),
    ...(headers && { headers }),
    content: {
      'application/json': {
        schema: ref('schemas', 'ApiErrorEnvelope'),
        examples: Object.fromEntries(shown),
      },
    },
  }
}

function exampleEnvelope(code: ErrorCode) {
  if (code === 'NOT_FOUND') return noReceipt
  return errorEnvelope(code, code === 'VALIDATION_ERROR' ? checkFields({}).problems : [])
}

function header(description: string, schema: object, example: unknown) {
  return { description, schema: { type: 'string', ...schema }, example }
}
