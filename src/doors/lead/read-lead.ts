/** Decodes a lead request. Checks no field. */
import type { Problem } from '../../contract/check-fields.ts'
import { isExampleKey, isKey, keyProblem } from '../../contract/idempotency-key.ts'
import type { ErrorCode } from '../../contract/errors.ts'
import { exampleRequest, fields, keyName } from '../../contract/fields.ts'
import type { Door } from '../../contract/states.ts'
import {
  hasTooManyPairs,
  isUncompressed,
  mediaType,
  mostPairs,
  readForm,
  readJson,
} from '../../http/body.ts'
import type { Ask } from '../../http/message.ts'
import type { Dedup } from '../../store/leads/rows.ts'

export type LeadBody = Readonly<Record<string, unknown>>

type SentLead = { body: LeadBody; door: Door }

export type ReadLead = SentLead & { dedup: Dedup }

/** `body` holds the fields that could be read, so that a form can show them again. */
export type Unreadable = { error: ErrorCode; problems: Problem[]; body: LeadBody }

export function readLeadRequest(ask: Ask): ReadLead | Unreadable {
  const { body, headers } = ask
  const type = mediaType(headers['content-type'])
  if (!Buffer.isBuffer(body)) {
    const start = wholePairs(body.start)
    const read = type === formType && !hasTooManyPairs(start) ? toRecord(start) : {}
    return { ...unreadable('PAYLOAD_TOO_LARGE'), body: read }
  }
  if (!isUncompressed(headers)) return unreadable('UNSUPPORTED_MEDIA_TYPE')
  switch (type) {
    case 'application/json':
      return readJsonLead(body, headers)
    case formType:
      return readFormLead(body, headers)
    default:
      return unreadable('UNSUPPORTED_MEDIA_TYPE', typeProblem(body))
  }
}

const formType = 'application/x-www-form-urlencoded'

/** Drops the last field, which was cut off at the limit of the body. */
function wholePairs(start: Buffer): Buffer {
  return start.subarray(0, Math.max(0, start.lastIndexOf('&')))
}

const tooManyPairs: Problem = {
  field: '(body)',
  problem: `has too many fields: at most ${mostPairs}`,
  example: new URLSearchParams(exampleRequest).toString(),
}

export function userAgentOf({ headers }: Ask): string {
  return (headers['user-agent'] ?? '').slice(0, 400)
}

function readJsonLead(bytes: Buffer, headers: Ask['headers']): ReadLead | Unreadable {
  const json = readJson(bytes)
  if (json === undefined) return unreadable('PARSE_ERROR')
  const { value } = json
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return unreadable('VALIDATION_ERROR', {
      field: '(body)',
      problem: 'must be one JSON object',
      example: JSON.stringify(exampleRequest),
    })
  }
  const sent = { body: value as LeadBody, door: jsonDoor(headers) }
  return withDedup(sent, headers['idempotency-key'])
}

/** Refuses JSON under the Content-Type of a form, which curl and others send by default. */
function readFormLead(bytes: Buffer, headers: Ask['headers']): ReadLead | Unreadable {
  if (hasTooManyPairs(bytes)) return unreadable('VALIDATION_ERROR', tooManyPairs)
  const body = toRecord(bytes)
  if (looksLikeJson(bytes) && !fields.some(({ name }) => body[name] !== undefined)) {
    return unreadable('UNSUPPORTED_MEDIA_TYPE', typeProblem(bytes))
  }
  return withDedup({ body, door: 'form' }, headers['idempotency-key'])
}

function typeProblem(bytes: Buffer): Problem {
  const problem = looksLikeJson(bytes)
    ? 'does not say that the body is JSON: send Content-Type: application/json'
    : 'is neither JSON nor a form'
  return { field: 'Content-Type', problem, example: 'application/json' }
}

function looksLikeJson(bytes: Buffer): boolean {
  let at = 0
  while (bytes[at]! <= 0x20) at += 1
  return bytes[at] === 0x7b || bytes[at] === 0x5b
}

/** Clients can forge these headers, so nothing that needs trust may depend on the result. */
function jsonDoor(headers: Ask['headers']): Door {
  if (headers['user-agent']?.startsWith('consult/')) return 'cli'
  // The form's script is the only one on our pages that sends JSON, for an agent in the browser.
  return headers['sec-fetch-site'] === 'same-origin' ? 'webmcp' : 'json'
}

/** Has no prototype, so that a field named `__proto__` is kept. Different values become a list, which is refused later. */
function toRecord(bytes: Buffer): LeadBody {
  const record: Record<string, unknown> = Object.create(null)
  for (const [name, value] of readForm(bytes)) {
    const before = record[name]
    if (before === undefined) record[name] = value
    else if (Array.isArray(before)) before.push(value)
    else if (before !== value) record[name] = [before, value]
  }
  return record
}

/**
 * Finds what makes two requests one lead (docs/decisions/0002-repeats.md): the key in the header,
 * else the key or nonce in the body, else the content.
 */
export function withDedup(sent: SentLead, header?: Ask['headers'][string]): ReadLead | Unreadable {
  const dedup = dedupOfHeader(header) ?? dedupOfBody(sent)
  if (!('wrongKey' in dedup)) return { ...sent, dedup }
  return { ...unreadable('VALIDATION_ERROR', keyProblem(dedup.wrongKey)), body: sent.body }
}

/** `wrongKey`: where a key was sent that is too long or not a text. */
type FoundDedup = Dedup | { wrongKey: string }

function dedupOfHeader(header: Ask['headers'][string]): FoundDedup | undefined {
  if (typeof header !== 'string') return undefined
  const value = unquote(header)
  if (isExampleKey(value)) return undefined
  return isKey(value) ? { by: 'key', value } : { wrongKey: 'Idempotency-Key' }
}

function dedupOfBody({ body, door }: SentLead): FoundDedup {
  const value = Object.hasOwn(body, keyName) ? body[keyName] : undefined
  if (value === undefined || value === null || value === '') return { by: 'content' }
  if (!isKey(value)) return { wrongKey: keyName }
  if (isExampleKey(value)) return { by: 'content' }
  // The form's script sends the form's nonce, so that script and browser together make one lead.
  const isNonce = door === 'form' || door === 'webmcp'
  return { by: isNonce ? 'nonce' : 'key', value }
}

/** The value is bare, or quoted as a String of RFC 9651 (3.3.3). */
function unquote(header: string): string {
  const text = header.trim()
  const quoted = /^"((?:[^"\\]|\\["\\])*)"$/.exec(text)
  return quoted ? quoted[1]!.replaceAll(/\\(["\\])/g, '$1') : text
}

function unreadable(error: ErrorCode, ...problems: Problem[]): Unreadable {
  return { error, problems, body: {} }
}
