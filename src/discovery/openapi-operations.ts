/** The operations of the API description. */
import { receiptMessages, receivedMessage } from '../contract/receipt.ts'
import type { Receipt, ReceiptStatus } from '../contract/receipt.ts'
import { contactPath, routes, thanksPath } from '../contract/routes.ts'
import { exampleReceiptUrl, examples } from '../contract/schemas.ts'
import { leadResponse, plainResponse, quota, ref, retryAfter } from './openapi-components.ts'

const { lead, receipt, withdraw } = routes

const health = {
  tags: ['Leads'],
  operationId: lead.operations.GET.id,
  summary: lead.operations.GET.summary,
  description:
    'Answers `ok` only while a request could be committed to storage now. For uptime monitors, and for agents that want to know before they send.',
  responses: {
    200: {
      description: 'A request could be received now.',
      content: json('LeadHealth', { ok: { value: { status: 'ok' } } }),
    },
    400: plainResponse('BAD_REQUEST'),
    500: ref('responses', 'InternalError'),
    503: plainResponse('STORAGE_UNAVAILABLE', retryAfter),
  },
}

const requestBody = {
  schema: ref('schemas', 'LeadRequest'),
  examples: { shortest: ref('examples', 'shortest'), full: ref('examples', 'full') },
}

const submit = {
  tags: ['Leads'],
  operationId: lead.operations.POST.id,
  summary: lead.operations.POST.summary,
  description:
    'The answer says received only after the request is committed to storage. `name_1` and a valid `email_1` are required. Call it only with the consent of the person whose details it carries.',
  parameters: [ref('parameters', 'IdempotencyKey')],
  requestBody: {
    description: 'The same fields in both media types.',
    required: true,
    content: {
      'application/json': requestBody,
      'application/x-www-form-urlencoded': requestBody,
    },
  },
  responses: {
    200: {
      description: 'To a JSON client: received.',
      headers: { 'Idempotent-Replayed': ref('headers', 'IdempotentReplayed'), ...quota },
      content: json('LeadSuccess', {
        received: {
          value: {
            ok: true,
            message: receivedMessage,
            reference: examples.reference,
            status_url: exampleReceiptUrl,
            receipt_token: examples.token,
          },
        },
      }),
      links: {
        receipt: linkTo(receipt.operations.GET),
        withdrawal: linkTo(withdraw.operations.POST),
      },
    },
    303: {
      description: `To a browser: received, and on to \`${thanksPath}\`; or something is wrong, and back to the form at \`${contactPath}\`, which still holds what was typed.`,
      headers: { Location: ref('headers', 'FormLocation'), ...quota },
    },
    400: leadResponse(['VALIDATION_ERROR', 'PARSE_ERROR', 'UNSUPPORTED_MEDIA_TYPE']),
    408: leadResponse(['REQUEST_TIMEOUT']),
    409: leadResponse(['REQUEST_WITHDRAWN']),
    413: leadResponse(['PAYLOAD_TOO_LARGE']),
    422: leadResponse(['IDEMPOTENCY_KEY_REUSED']),
    429: leadResponse(['RATE_LIMITED'], { ...retryAfter, ...quota }),
    500: leadResponse(['INTERNAL_ERROR']),
    503: leadResponse(['STORAGE_UNAVAILABLE'], retryAfter),
  },
}

const readReceipt = {
  tags: ['Receipts'],
  operationId: receipt.operations.GET.id,
  summary: receipt.operations.GET.summary,
  description:
    'The receipt that is at `status_url`, as JSON. Clients that name `text/html` get a page, and those that prefer `text/markdown` get Markdown. It shows no personal details.',
  parameters: [ref('parameters', 'ReceiptToken')],
  responses: {
    200: {
      description: 'What has become of the request.',
      content: json('Receipt', {
        received: { value: exampleReceipt('received') },
        contacted: { value: exampleReceipt('contacted') },
      }),
    },
    404: ref('responses', 'NotFound'),
    500: ref('responses', 'InternalError'),
    503: ref('responses', 'LookupUnavailable'),
  },
}

const withdrawal = {
  tags: ['Receipts'],
  operationId: withdraw.operations.POST.id,
  summary: withdraw.operations.POST.summary,
  description:
    'Afterwards nobody gets in touch about the request. It needs no body. Withdrawing again changes nothing and is no error. Ask the person before calling it.',
  parameters: [ref('parameters', 'ReceiptToken')],
  responses: {
    200: {
      description: 'Withdrawn, now or before.',
      content: json('Receipt', { withdrawn: { value: exampleReceipt('withdrawn') } }),
    },
    303: {
      description:
        'To a client that names `text/html`: on to the receipt, which says what came of it.',
      headers: { Location: ref('headers', 'ReceiptLocation') },
    },
    404: ref('responses', 'NotFound'),
    409: plainResponse('INVALID_TRANSITION'),
    429: plainResponse('RATE_LIMITED', { ...retryAfter, ...quota }),
    500: ref('responses', 'InternalError'),
    503: ref('responses', 'LookupUnavailable'),
  },
}

export const operations = {
  [health.operationId]: health,
  [submit.operationId]: submit,
  [readReceipt.operationId]: readReceipt,
  [withdrawal.operationId]: withdrawal,
}

function json(schema: string, shown: Record<string, { value: unknown }>) {
  return { 'application/json': { schema: ref('schemas', schema), examples: shown } }
}

function linkTo({ id, summary }: { id: string; summary: string }) {
  return {
    operationId: id,
    description: summary,
    parameters: { token: '$response.body#/receipt_token' },
  }
}

function exampleReceipt(status: ReceiptStatus): Receipt {
  const canWithdraw = status !== 'withdrawn'
  return {
    reference: examples.reference,
    status,
    message: receiptMessages[status],
    received_at: examples.receivedAt,
    changed_at: status === 'received' ? examples.receivedAt : examples.changedAt,
    can_withdraw: canWithdraw,
    ...(canWithdraw && { withdraw_url: exampleReceiptUrl + withdraw.path }),
  }
}
