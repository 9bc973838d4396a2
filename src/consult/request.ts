/** The request of a command: from a draft or from options, with its key, checked. */
import { randomUUID } from 'node:crypto'
import { text as readAll } from 'node:stream/consumers'
import { checkFields } from '../contract/check-fields.ts'
import type { Problem } from '../contract/check-fields.ts'
import { draftFile } from '../contract/commands.ts'
import { errorEnvelope } from '../contract/errors.ts'
import type { ErrorCode } from '../contract/errors.ts'
import { fields, keyName } from '../contract/fields.ts'
import { isKey, keyProblem } from '../contract/idempotency-key.ts'
import { maxBodyBytes } from '../contract/limits.ts'
import type { JsonObject } from './answers.ts'
import { usageFailure } from './arguments.ts'
import type { Call } from './arguments.ts'
import { readDraftFile } from './draft-file.ts'
import { Failed } from './failed.ts'

export type Request = {
  body: JsonObject
  key: string
  /** Running the same command again uses the same key: it is in the draft or the options. */
  keyIsKept: boolean
}

/** Throws unless the site would accept the request. */
export async function readRequest(call: Call): Promise<Request> {
  const request = withKey(await readBody(call), call)
  const problems = findProblems(request)
  if (problems.length > 0) throw invalid('VALIDATION_ERROR', problems)
  if (Buffer.byteLength(JSON.stringify(request.body)) > maxBodyBytes) {
    throw invalid('PAYLOAD_TOO_LARGE')
  }
  return request
}

/** The fields given as options, by their names in a request. */
export async function readFieldOptions({ texts }: Call): Promise<Record<string, string>> {
  const body: Record<string, string> = {}
  for (const { key, name, input } of fields) {
    const text = texts[key]
    if (text === undefined) continue
    body[name] = input === 'textarea' && text === '-' ? await readAll(process.stdin) : text
  }
  return body
}

/** With the rules and messages of the site. */
export function findProblems({ body, key }: Pick<Request, 'body' | 'key'>): Problem[] {
  const { problems } = checkFields(body)
  if (isKey(key) && fitsHeader(key)) return problems
  return [...problems, keyProblem(keyName, 'printable ASCII characters')]
}

export function invalid(code: ErrorCode, problems: readonly Problem[] = []): Failed {
  return new Failed('invalid', errorEnvelope(code, problems).error)
}

async function readBody(call: Call): Promise<JsonObject> {
  const given = await readFieldOptions(call)
  if (Object.keys(given).length === 0) return readDraftFile(call.argument ?? draftFile)
  if (call.argument === undefined) return given
  throw usageFailure('Give a draft or the fields as options, not both.')
}

function withKey({ [keyName]: drafted, ...body }: JsonObject, { texts }: Call): Request {
  const kept = texts['idempotency-key'] ?? drafted
  if (kept === undefined || kept === null) return { body, key: randomUUID(), keyIsKept: false }
  return { body, key: typeof kept === 'string' ? kept : '', keyIsKept: true }
}

/** The key is sent as a header: printable ASCII, no blanks at its ends. */
function fitsHeader(key: string): boolean {
  return /^[!-~](?:[ -~]*[!-~])?$/.test(key)
}
