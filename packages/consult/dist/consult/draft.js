/** `consult draft` writes a request to a file, with the key for all its retries; `consult check` checks it. */
import { randomUUID } from 'node:crypto'
import { checkFields } from '../contract/check-fields.js'
import { commandName, draftFile } from '../contract/commands.js'
import { fields, keyName } from '../contract/fields.js'
import { refuseToOverwrite, writeDraftFile } from './draft-file.js'
import { toPlain } from './output.js'
import { askFields, findTerminal } from './questions.js'
import { findProblems, invalid, readFieldOptions, readRequest } from './request.js'
export async function draftCommand(call) {
  const { argument: file = draftFile, texts, switches } = call
  if (!switches.has('force')) refuseToOverwrite(file)
  const key = texts['idempotency-key'] ?? randomUUID()
  const body = await readOrAsk(call)
  const problems = findProblems({ body, key })
  if (problems.length > 0) throw invalid('VALIDATION_ERROR', problems)
  writeDraftFile(file, { ...tidy(body), [keyName]: key })
  return {
    text: `The draft is in ${toPlain(file)}. Nothing was sent. Next: ${commandName} check\n`,
    json: { file, [keyName]: key },
  }
}
/** The checks of the site, without sending anything. */
export async function checkCommand(call) {
  const { body, key, keyIsKept } = await readRequest(call)
  return {
    text: `The request is valid. Nothing was sent. Next: ${commandName} send\n`,
    json: { ok: true, request: { ...body, ...(keyIsKept && { [keyName]: key }) } },
  }
}
/** Asks only when a required field is missing, so that a script with all of them never waits. */
async function readOrAsk(call) {
  const given = await readFieldOptions(call)
  const isWhole = fields.every(({ name, required }) => !required || name in given)
  const terminal = isWhole ? undefined : findTerminal()
  return terminal === undefined ? given : askFields(terminal, given)
}
/** As the site would store it, without empty fields. */
function tidy(body) {
  const { values } = checkFields(body)
  return Object.fromEntries(
    fields.flatMap(({ name, key }) => (values[key] === '' ? [] : [[name, values[key]]])),
  )
}
