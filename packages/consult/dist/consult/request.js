/** The request of a command: from a draft or from options, with its key, checked. */
import { randomUUID } from 'node:crypto'
import { text as readAll } from 'node:stream/consumers'
import { checkFields } from '../contract/check-fields.js'
import { draftFile } from '../contract/commands.js'
import { errorEnvelope } from '../contract/errors.js'
import { fields, keyName } from '../contract/fields.js'
import { isKey, keyProblem } from '../contract/idempotency-key.js'
import { maxBodyBytes } from '../contract/limits.js'
import { usageFailure } from './arguments.js'
import { readDraftFile } from './draft-file.js'
import { Failed } from './failed.js'
/** Throws unless the site would accept the request. */
export async function readRequest(call) {
  const request = withKey(await readBody(call), call)
  const problems = findProblems(request)
  if (problems.length > 0) throw invalid('VALIDATION_ERROR', problems)
  if (Buffer.byteLength(JSON.stringify(request.body)) > maxBodyBytes) {
    throw invalid('PAYLOAD_TOO_LARGE')
  }
  return request
}
/** The fields given as options, by their names in a request. */
export async function readFieldOptions({ texts }) {
  const body = {}
  for (const { key, name, input } of fields) {
    const text = texts[key]
    if (text === undefined) continue
    body[name] = input === 'textarea' && text === '-' ? await readAll(process.stdin) : text
  }
  return body
}
/** With the rules and messages of the site. */
export function findProblems({ body, key }) {
  const { problems } = checkFields(body)
  if (isKey(key) && fitsHeader(key)) return problems
  return [...problems, keyProblem(keyName, 'printable ASCII characters')]
}
export function invalid(code, problems = []) {
  return new Failed('invalid', errorEnvelope(code, problems).error)
}
async function readBody(call) {
  const given = await readFieldOptions(call)
  if (Object.keys(given).length === 0) return readDraftFile(call.argument ?? draftFile)
  if (call.argument === undefined) return given
  throw usageFailure('Give a draft or the fields as options, not both.')
}
function withKey({ [keyName]: drafted, ...body }, { texts }) {
  const kept = texts['idempotency-key'] ?? drafted
  if (kept === undefined) return { body, key: randomUUID(), keyIsKept: false }
  return { body, key: typeof kept === 'string' ? kept : '', keyIsKept: true }
}
/** The key is sent as a header: printable ASCII, no blanks at its ends. */
function fitsHeader(key) {
  return /^[!-~](?:[ -~]*[!-~])?$/.test(key)
}
