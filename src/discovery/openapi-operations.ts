/** The operations of the API description. */
import { fields } from '../contract/fields.ts'
import { contactPath, routes, thanksPath } from '../contract/routes.ts'
import { exampleReceiptUrl, examples } from '../contract/schemas.ts'
import { receivedMessage } from '../contract/receipt.ts'
import { errorResponse, exampleReceipt, ref } from './openapi-components.ts'

const { lead, receipt, withdraw } = routes
const requestId = { 'X-Request-Id': ref('headers', 'RequestId') }
const quota = {
  'RateLimit-Policy': ref('headers', 'RateLimitPolicy'),
  RateLimit: ref('headers', 'RateLimit'),
}
const retryAfter = { 'Retry-After': ref('headers', 'RetryAfter') }
const varies = { Vary: ref('headers', 'Vary') }

const health = {
  tags: ['Leads'],
  operationId: lead.operations.GET.id,
  summary: lead.operations.GET.summary,
  description:
    'Answers `ok` only while a request could be committed to storage now. Suited to uptime monitors and to agents that want to know before they send. It has no parameters.',
  responses: {
    200: {
      description: 'A request could be received now.',
      headers: requestId,
      content: json('LeadHealth', { ok: { summary: 'All is well', value: { status: 'ok' } } }),
    },
    400: errorResponse(['BAD_REQUEST'], requestId),
    500: errorResponse(['INTERNAL_ERROR'], requestId),
    503: errorResponse(['STORAGE_UNAVAILABLE'], { ...requestId, ...retryAfter }),
  },
}

const submit = {
  tags: ['Leads'],
  operationId: lead.operations.POST.id,
  summary: lead.operations.POST.summary,
  description:
    'Receives a request for a Consultation, as JSON or as a form. The answer says received only after the request is committed to storage. `name_1` and a valid `email_1` are required. Safe to repeat with the same `Idempotency-Key`. Call it only with the consent of the person whose details it carries.',
  parameters: [ref('parameters', 'IdempotencyKey')],
  requestBody: {
    description: 'The same fields in both media types.',
    required: true,
    content: {
      'application/json': { schema: ref('schemas', 'LeadRequest'), examples: requestExamples() },
      'application/x-www-form-urlencoded': {
        schema: ref('schemas', 'LeadRequest'),
        examples: requestExamples(),
      },
    },
  },
  responses: {
    200: {
      description: 'To a JSON client: received.',
      headers: {
        ...requestId,
        'Idempotent-Replayed': ref('headers', 'IdempotentReplayed'),
        ...quota,
      },
      content: json('LeadSuccess', {
        received: {
          summary: 'Received',
          value: {
            ok: true,
            message: receivedMessage,
            reference: examples.reference,
            status_url: exampleReceiptUrl,
          },
        },
      }),
    },
    303: {
      description: `To a browser: received, and on to \`${thanksPath}\`; or something is wrong with the request, and back to the form at \`${contactPath}\`, which still holds everything that was typed.`,
      headers: { ...requestId, Location: ref('headers', 'FormLocation'), ...quota },
    },
    400: errorResponse(['VALIDATION_ERROR', 'PARSE_ERROR', 'UNSUPPORTED_MEDIA_TYPE'], {
      ...requestId,
      ...quota,
    }),
    408: errorResponse(['REQUEST_TIMEOUT'], {}),
    409: errorResponse(['REQUEST_WITHDRAWN'], { ...requestId, ...quota }),
    413: errorResponse(['PAYLOAD_TOO_LARGE'], { ...requestId, ...quota }),
    422: errorResponse(['IDEMPOTENCY_KEY_REUSED'], { ...requestId, ...quota }),
    429: forBrowsersToo(errorResponse(['RATE_LIMITED'], { ...requestId, ...retryAfter, ...quota })),
    500: errorResponse(['INTERNAL_ERROR'], requestId),
    503: forBrowsersToo(errorResponse(['STORAGE_UNAVAILABLE'], { ...requestId, ...retryAfter })),
  },
}

const readReceipt = {
  tags: ['Receipts'],
  operationId: receipt.operations.GET.id,
  summary: receipt.operations.GET.summary,
  description:
    'The receipt at the `status_url` of a request: JSON, a page for clients that name `text/html`, or Markdown for those that prefer it. It shows no personal details. The address is private to whoever sent the request.',
  parameters: [ref('parameters', 'ReceiptToken')],
  responses: {
    200: forBrowsersToo({
      description: 'What has become of the request.',
      headers: { ...requestId, ...varies },
      content: {
        ...json('Receipt', {
          received: { summary: 'Just received', value: exampleReceipt('received') },
          contacted: { summary: 'I have been in touch', value: exampleReceipt('contacted') },
        }),
        'text/markdown': text('The same as Markdown.', '# Your Consultation request …'),
      },
    }),
    404: forBrowsersToo(errorResponse(['NOT_FOUND'], { ...requestId, ...varies })),
    500: errorResponse(['INTERNAL_ERROR'], requestId),
    503: forBrowsersToo(errorResponse(['LOOKUP_UNAVAILABLE'], { ...requestId, ...retryAfter })),
  },
}

const withdrawal = {
  tags: ['Receipts'],
  operationId: withdraw.operations.POST.id,
  summary: withdraw.operations.POST.summary,
  description:
    'Withdraws the request, after which nobody gets in touch about it. It needs no body. Withdrawing again changes nothing and is no error. Ask the person before calling it.',
  parameters: [ref('parameters', 'ReceiptToken')],
  responses: {
    200: {
      description: 'Withdrawn, now or before.',
      headers: requestId,
      content: json('Receipt', {
        withdrawn: { summary: 'Withdrawn', value: exampleReceipt('withdrawn') },
      }),
    },
    303: {
      description:
        'To a client that names `text/html`: on to the receipt, which says what came of it.',
      headers: { ...requestId, Location: ref('headers', 'ReceiptLocation') },
    },
    404: forBrowsersToo(errorResponse(['NOT_FOUND'], { ...requestId, ...varies })),
    409: errorResponse(['INVALID_TRANSITION'], requestId),
    429: forBrowsersToo(errorResponse(['RATE_LIMITED'], { ...requestId, ...retryAfter, ...quota })),
    500: errorResponse(['INTERNAL_ERROR'], requestId),
    503: forBrowsersToo(errorResponse(['LOOKUP_UNAVAILABLE'], { ...requestId, ...retryAfter })),
  },
}

export const operations = {
  [health.operationId]: health,
  [submit.operationId]: submit,
  [readReceipt.operationId]: readReceipt,
  [withdrawal.operationId]: withdrawal,
}

function requestExamples() {
  const toBody = (rows: readonly { name: string; example: string }[]) =>
    Object.fromEntries(rows.map(({ name, example }) => [name, example]))
  return {
    shortest: {
      summary: 'Name and email only',
      value: toBody(fields.filter(({ required }) => required)),
    },
    full: { summary: 'Everything filled in', value: toBody(fields) },
  }
}

function json(schema: string, shown: Record<string, { summary: string; value: unknown }>) {
  return { 'application/json': { schema: ref('schemas', schema), examples: shown } }
}

/** Adds the HTML page that browsers get. */
function forBrowsersToo<R extends { content: object }>(response: R) {
  const page = text('A page that says the same.', '<!doctype html>…')
  return { ...response, content: { ...response.content, 'text/html': page } }
}

function text(description: string, example: string) {
  return { schema: { type: 'string', description, minLength: 1 }, example }
}
