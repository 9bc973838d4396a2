/** The API description (OpenAPI 3.1), written from the contract and the facts of the business. */
import { exampleWords, noVisit, wrongWords } from '../contract/errors.ts'
import { fields, isOneLine, keyName, requiredInWords } from '../contract/fields.ts'
import { askAgainMs, mostPhotos, siteFactor } from '../contract/limits.ts'
import { photoSize, photoTypes, pictureSize } from '../contract/photos.ts'
import { askedNote, receiptMessages, receivedMessage, type Receipt } from '../contract/receipt.ts'
import type { ReceiptStatus } from '../contract/states.ts'
import {
  agentsPath,
  apiVersion,
  contactPath,
  removalNotice,
  routes,
  thanksPath,
} from '../contract/routes.ts'
import { exampleReceiptUrl, examples } from '../contract/schemas.ts'
import { wordsOf } from '../contract/wording.ts'
import { factsFor } from '../site/blocks.ts'
import { markdownList } from '../site/markdown.ts'
import { secondMs, smallNumber } from '../time.ts'
import { placesOf, type Facts } from './facts.ts'
import { components, errorResponse, quota, ref, retryAfterHeader } from './openapi-components.ts'
import { webhooks } from './webhooks.ts'

const { lead, receipt, withdraw, erase, anotherTime, visitFile, photos } = routes

export function describeApi(facts: Facts): object {
  const { baseUrl, business } = facts
  const say = wordsOf(business)
  const receiptPath = `${receipt.path}{token}`
  return {
    openapi: '3.1.0',
    info: {
      title: `${say('Consultation requests')}: ${business.name}`,
      summary: `Ask ${business.trade.is} for ${business.asksFor.one}.`,
      version: apiVersion,
      description: introduce(facts),
      contact: { name: business.owner, url: `${baseUrl}/`, email: business.contact.email },
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: baseUrl, description: 'The site itself.' }],
    security: [],
    tags: say([
      {
        name: 'Leads',
        description: 'Consultation requests, and whether one could be received now.',
      },
      { name: 'Receipts', description: 'What has become of a request, for whoever sent it.' },
      { name: 'Webhooks', description: "Signed events to the owner's own programs." },
    ]),
    externalDocs: { description: 'Guide for agents and their makers', url: baseUrl + agentsPath },
    paths: say({
      [lead.path]: { get: health, post: submit },
      [receiptPath]: { get: readReceipt },
      [receiptPath + withdraw.path]: { post: withdrawOperation },
      [receiptPath + erase.path]: { post: eraseOperation },
      [receiptPath + anotherTime.path]: { post: anotherTimeOperation },
      [receiptPath + visitFile.path]: { get: readVisitFile },
      [receiptPath + photos.path]: { post: addPhotoOperation },
    }),
    webhooks: say(webhooks),
    components: say(components),
  }
}

const oneLineNames = fields
  .filter(isOneLine)
  .map(({ name }) => `\`${name}\``)
  .join(', ')

function introduce({ baseUrl, business }: Facts): string {
  const facts = factsFor(business, baseUrl)
  const limit = (name: string) => facts.get(`limit.${name}`)
  const notice = business.notice ? ` ${business.notice}` : ''
  return `Sends a request for ${business.asksFor.one} to ${business.name} in ${business.region}. No credentials are needed.${notice}

What I do:

${markdownList(business.does)}

I do not take on:

${markdownList(business.doesNot)}

I work in: ${placesOf(business)}.

A request carries a person's details. Send it only when that person asked for it and agreed to these details being sent. It is not a booking, and it gives no price: I, ${business.owner}, get in touch to arrange a time.

## Two kinds of client

A client that sends \`Content-Type: application/json\`, or whose \`Accept\` prefers \`application/json\` to \`text/html\` (by q; on a tie the type named first; wildcards choose JSON only where HTML is excluded with q=0), gets JSON. Every other client is a browser: it is redirected with 303, and a 404, 429 or 503 is a page. Scripts of any site may call this API and read the answers (CORS, without credentials).

## Text

Text becomes well-formed Unicode with \`\\n\` as line end, without control characters other than tab and newline, and trimmed; a name needs a visible character. Line breaks and tabs in ${oneLineNames} become spaces. Lengths are counted in code points after that; what is too long is an error, and nothing is ever cut. JSON must be UTF-8; form bytes that are not UTF-8 are read as windows-1252.

## Sending again

Give each new request an \`Idempotency-Key\` (or \`${keyName}\` in a JSON body): a random UUID (version 4 or 7). Any other key counts only together with your address, and the example in this document counts as none. For ${limit('key')}, the same key with the same content gives the first answer again; with different content the answer is 422, and after the request was withdrawn or (with a random UUID) erased it is 409. Without a key, the same content from the same address within ${limit('repeat')} is received once. After a network failure, a 429 or a 503, wait for \`Retry-After\` and send the same request with the same key.

## Limits

- Body: at most ${limit('body')}, not compressed. Unlisted fields: at most ${limit('unlisted')}.
- Above ${limit('hard')} by POST from one address (of IPv6, one /64; all networks of a /48 together have ${smallNumber(siteFactor)} times as much), the answer is 429. A request counts even when it is refused. An answer to a POST of a lead says in \`RateLimit\` what is left, unless the client is not limited.
- Above ${limit('soft')} from one address, requests are received, but I check them first. Above ${limit('held')} of such requests, the answer is 429.

## Versions

No path has a version in it. Within version 1 things are only added, so ignore members you do not know. Removals are announced at least ${removalNotice} ahead with the \`Deprecation\` (RFC 9745) and \`Sunset\` (RFC 8594) headers.
`
}

const health = {
  tags: ['Leads'],
  operationId: lead.operations.GET.id,
  summary: lead.operations.GET.summary,
  description:
    'Answers `ok` only while a request could be committed to storage now. For monitors, and for agents before they send.',
  responses: {
    200: {
      description: 'The service can take requests now.',
      content: json('LeadHealth', { ok: { value: { status: 'ok' } } }),
    },
    400: errorResponse(['BAD_REQUEST']),
    500: ref('responses', 'InternalError'),
    503: ref('responses', 'StorageUnavailable'),
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
  description: `It says received only after the request is committed to storage. ${requiredInWords('`')} are required. Call it only with the consent of the person.`,
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
        erasing: linkTo(erase.operations.POST),
      },
    },
    303: {
      description: `To a browser: received, and on to \`${thanksPath}\` (the body has the reference and the receipt); or something is wrong, and back to the form at \`${contactPath}\`, which still holds what was typed.`,
      headers: { Location: ref('headers', 'FormLocation'), ...quota },
    },
    400: errorResponse(['VALIDATION_ERROR', 'PARSE_ERROR', 'UNSUPPORTED_MEDIA_TYPE']),
    408: errorResponse(['REQUEST_TIMEOUT']),
    409: errorResponse(['REQUEST_WITHDRAWN']),
    413: errorResponse(['PAYLOAD_TOO_LARGE']),
    422: errorResponse(['IDEMPOTENCY_KEY_REUSED']),
    429: ref('responses', 'RateLimited'),
    500: ref('responses', 'InternalError'),
    503: ref('responses', 'StorageUnavailable'),
  },
}

const readReceipt = {
  tags: ['Receipts'],
  operationId: receipt.operations.GET.id,
  summary: receipt.operations.GET.summary,
  description:
    'The receipt that is at `status_url`, as JSON. Clients that name `text/html` get a page. It shows no personal details.',
  parameters: [ref('parameters', 'ReceiptToken')],
  responses: {
    200: {
      description: 'What has become of the request.',
      content: json('Receipt', {
        contacted: { value: exampleReceipt('contacted') },
        booked: { value: exampleBooking() },
      }),
    },
    404: ref('responses', 'NoReceipt'),
    500: ref('responses', 'InternalError'),
    503: ref('responses', 'LookupUnavailable'),
  },
}

const withdrawOperation = {
  tags: ['Receipts'],
  operationId: withdraw.operations.POST.id,
  summary: withdraw.operations.POST.summary,
  description:
    'Afterwards nobody gets in touch about the request; its details are kept. It needs no body. Withdrawing again changes nothing and is no error. Ask the person before calling it.',
  parameters: [ref('parameters', 'ReceiptToken')],
  responses: {
    200: {
      description: 'Withdrawn, now or before.',
      content: json('Receipt', { withdrawn: { value: exampleReceipt('withdrawn') } }),
    },
    303: ref('responses', 'ToReceipt'),
    404: ref('responses', 'NoReceipt'),
    409: ref('responses', 'InvalidTransition'),
    429: ref('responses', 'RateLimited'),
    500: ref('responses', 'InternalError'),
    503: ref('responses', 'LookupUnavailable'),
  },
}

const eraseOperation = {
  ...withdrawOperation,
  operationId: erase.operations.POST.id,
  summary: erase.operations.POST.summary,
  description:
    'Erases at once and for good everything that was sent with this request; an open request is withdrawn with it. It needs no body. Erasing again changes nothing and is no error. Ask the person before calling it.',
  responses: {
    ...withdrawOperation.responses,
    200: {
      description: 'Erased, now or before.',
      content: json('Receipt', { erased: { value: exampleReceipt('erased') } }),
    },
  },
}

const askAgainS = askAgainMs / secondMs
const askBody = { schema: ref('schemas', 'AnotherTime'), example: { words: exampleWords } }

const anotherTimeOperation = {
  ...withdrawOperation,
  operationId: anotherTime.operations.POST.id,
  summary: anotherTime.operations.POST.summary,
  description: `Passes on which days and hours suit the person. The booked time stays until I answer. Asking again within ${askAgainS} seconds changes nothing and is no error. Ask the person before calling it.`,
  requestBody: {
    description: 'The same field in both media types.',
    required: true,
    content: {
      'application/json': askBody,
      'application/x-www-form-urlencoded': askBody,
    },
  },
  responses: {
    ...withdrawOperation.responses,
    200: {
      description: `Passed on, now or within the last ${askAgainS} seconds.`,
      content: json('Receipt', { asked: { value: exampleAsking() } }),
    },
    400: errorResponse([wrongWords]),
  },
}

const readVisitFile = {
  tags: ['Receipts'],
  operationId: visitFile.operations.GET.id,
  summary: visitFile.operations.GET.summary,
  description:
    'Day and hour, for the calendar of the person (RFC 5545); no street and no name. To a client that names `text/html`, and while no Consultation is booked and shown, the answer is 303 to the receipt.',
  parameters: [ref('parameters', 'ReceiptToken')],
  responses: {
    200: {
      description: 'A calendar with one event.',
      content: {
        'text/calendar': { schema: { type: 'string', description: 'The calendar.', minLength: 1 } },
      },
    },
    303: ref('responses', 'ToReceipt'),
    404: errorResponse([noVisit]),
    500: ref('responses', 'InternalError'),
    503: ref('responses', 'LookupUnavailable'),
  },
}

const pictureBody = {
  schema: { type: 'string', format: 'binary', description: 'The bytes of one picture.' },
  example: '(bytes)',
}

const addPhotoOperation = {
  ...withdrawOperation,
  operationId: photos.operations.POST.id,
  summary: photos.operations.POST.summary,
  description: `A photo of the place: at most ${photoSize} and ${pictureSize}, one a request, ${mostPhotos} in all. Kept as a smaller JPEG without place or camera. The same photo again is no second one. The answer has its \`url\` (GET gives the JPEG) and its \`remove_url\` (POST without a body removes it; again, the answer is 404). Where the receipt has no \`photos_url\`, photos are not taken.`,
  requestBody: {
    description: 'The picture itself.',
    required: true,
    content: Object.fromEntries(photoTypes.split(',').map((type) => [type, pictureBody])),
  },
  responses: {
    ...withdrawOperation.responses,
    200: {
      description: 'Kept, now or before. In this answer the photo is the last one of `photos`.',
      content: json('Receipt', { received: { value: exampleWithPhoto() } }),
    },
    408: errorResponse(['REQUEST_TIMEOUT']),
    409: errorResponse(['INVALID_TRANSITION', 'ENOUGH_PHOTOS']),
    413: errorResponse(['PHOTO_TOO_LARGE']),
    415: errorResponse(['PHOTO_TYPE', 'PHOTO_HEIC']),
    422: errorResponse(['PHOTO_UNREADABLE', 'SEVERAL_PHOTOS']),
    503: errorResponse(['PHOTOS_BUSY', 'NO_ROOM_FOR_PHOTOS'], retryAfterHeader),
  },
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

function exampleWithPhoto(): Receipt {
  const url = `${exampleReceiptUrl}${photos.path}/3f0c8f5e-6c1d-4b8e-9a52-7d1e0b9c4a61`
  return {
    ...exampleReceipt('received'),
    photos_url: exampleReceiptUrl + photos.path,
    photos: [{ url, remove_url: `${url}/remove` }],
  }
}

function exampleBooking(): Receipt {
  return {
    ...exampleReceipt('consultation_booked'),
    message: 'Consultation booked: Thursday 19 November, 3 pm.',
    visit_at: examples.visitAt,
    calendar_url: exampleReceiptUrl + visitFile.path,
    another_time_url: exampleReceiptUrl + anotherTime.path,
  }
}

function exampleAsking(): Receipt {
  const booking = exampleBooking()
  return { ...booking, message: booking.message + askedNote, asked_at: examples.askedAt }
}

function exampleReceipt(status: ReceiptStatus): Receipt {
  const canWithdraw = status !== 'withdrawn' && status !== 'erased'
  return {
    reference: examples.reference,
    status,
    message: receiptMessages[status],
    received_at: examples.receivedAt,
    changed_at: examples.changedAt,
    can_withdraw: canWithdraw,
    ...(canWithdraw && { withdraw_url: exampleReceiptUrl + withdraw.path }),
    ...(status !== 'erased' && { erase_url: exampleReceiptUrl + erase.path }),
  }
}
