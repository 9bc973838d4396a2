/** Schemas, parameters and headers that the operations of the API description share. */
import { checkFields } from '../contract/check-fields.ts'
import { errorEnvelope, errors } from '../contract/errors.ts'
import type { ErrorCode } from '../contract/errors.ts'
import { hardLimit, heldLimit, idempotencyKeyLength } from '../contract/limits.ts'
import { receiptMessages, receiptTokenPattern } from '../contract/receipt.ts'
import type { Receipt, ReceiptStatus } from '../contract/receipt.ts'
import { contactPath, routes, thanksPath } from '../contract/routes.ts'
import {
  apiErrorEnvelopeSchema,
  apiErrorSchema,
  exampleReceiptUrl,
  examples,
  leadHealthSchema,
  leadRequestSchema,
  leadSuccessSchema,
  receiptSchema,
} from '../contract/schemas.ts'
import { webhookParameters, webhookSchemas } from './openapi-webhooks.ts'

const windowS = hardLimit.windowMs / 1000

export const components = {
  schemas: {
    LeadRequest: leadRequestSchema,
    LeadHealth: leadHealthSchema,
    LeadSuccess: leadSuccessSchema,
    ApiErrorEnvelope: {
      ...apiErrorEnvelopeSchema,
      properties: { error: ref('schemas', 'ApiError') },
    },
    ApiError: apiErrorSchema,
    Receipt: receiptSchema,
    ...webhookSchemas,
  },
  parameters: {
    IdempotencyKey: {
      name: 'Idempotency-Key',
      in: 'header',
      description:
        'A random text of your own, best a UUID, one for each new request, bare or as a string of structured fields (RFC 9651). Sending the same request again with the same key gives the first answer again.',
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
      description: 'The last part of the `status_url` of a request. Private to whoever sent it.',
      schema: { type: 'string', pattern: receiptTokenPattern },
      example: examples.token,
    },
    ...webhookParameters,
  },
  headers: {
    RequestId: header('Names this exchange in the log of the service.', { minLength: 1 }, 'req-1'),
    RetryAfter: header(
      'Seconds to wait before sending the same request again.',
      { type: 'integer', minimum: 1, maximum: heldLimit.windowMs / 1000 },
      5,
    ),
    RateLimit: header(
      'What is left of the limit (`r`), and in how many seconds it starts anew (`t`).',
      { pattern: '^"leads";r=\\d+;t=\\d+$' },
      `"leads";r=${hardLimit.requests - 1};t=${windowS}`,
    ),
    RateLimitPolicy: header(
      'The limit: `q` requests in `w` seconds from one address.',
      { pattern: '^"leads";q=\\d+;w=\\d+$' },
      `"leads";q=${hardLimit.requests};w=${windowS}`,
    ),
    IdempotentReplayed: header(
      'Sent where the answer is that of an earlier request with the same key.',
      { const: 'true' },
      'true',
    ),
    FormLocation: header(
      'Where the browser goes next.',
      { enum: [thanksPath, contactPath] },
      thanksPath,
    ),
    ReceiptLocation: header('The receipt.', { minLength: 1 }, routes.receipt.path + examples.token),
    Vary: header('The answer depends on the Accept header.', { minLength: 1 }, 'Accept'),
  },
}

export function ref(kind: 'schemas' | 'parameters' | 'headers', name: string) {
  return { $ref: `#/components/${kind}/${name}` }
}

/** One response for all codes of one status. */
export function errorResponse(codes: readonly ErrorCode[], headers: object) {
  const shown = codes.map((code) => [
    code,
    { summary: errors[code].message, value: exampleEnvelope(code) },
  ])
  return {
    description: codes.map((code) => `\`${code}\`: ${errors[code].message}`).join(' '),
    headers,
    content: {
      'application/json': {
        schema: ref('schemas', 'ApiErrorEnvelope'),
        examples: Object.fromEntries(shown),
      },
    },
  }
}

/** The answer to an empty object. */
function exampleEnvelope(code: ErrorCode) {
  return errorEnvelope(code, code === 'VALIDATION_ERROR' ? checkFields({}).problems : [])
}

export function exampleReceipt(status: ReceiptStatus): Receipt {
  return {
    reference: examples.reference,
    status,
    message: receiptMessages[status],
    received_at: examples.receivedAt,
    changed_at: status === 'received' ? examples.receivedAt : examples.changedAt,
    can_withdraw: status !== 'withdrawn',
    ...(status !== 'withdrawn' && { withdraw_url: exampleReceiptUrl + routes.withdraw.path }),
  }
}

function header(description: string, schema: object, example: unknown) {
  return { description, schema: { type: 'string', ...schema }, example }
}
