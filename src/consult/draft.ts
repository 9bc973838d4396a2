/** `consult draft`: writes a request into a file, with the one key that all its sendings share. */
import { randomUUID } from 'node:crypto'
import { checkFields } from '../contract/check-fields.ts'
import { commandName, draftFile } from '../contract/commands.ts'
import { fields, keyName } from '../contract/fields.ts'
import type { Call } from './arguments.ts'
import { refuseToOverwrite, writeDraft } from './draft-file.ts'
import { toPlain } from './output.ts'
import type { Result } from './output.ts'
import { askFields, findTerminal } from './questions.ts'
import { findProblems, invalid, readFieldOptions } from './request.ts'

export async function draftCommand(call: Call): Promise<Result> {
  const { argument: file = draftFile, texts, switches } = call
  if (!switches.has('force')) refuseToOverwrite(file)
  const key = texts['idempotency-key'] ?? randomUUID()
  const body = await readOrAsk(call)
  const problems = findProblems({ body, key })
  if (problems.length > 0) throw invalid('VALIDATION_ERROR', problems)
  writeDraft(file, { ...tidy(body), [keyName]: key })
  return {
    text: `The draft is in ${toPlain(file)}. Nothing was sent. Next: ${commandName} check\n`,
    json: { file, [keyName]: key },
  }
}

/** Asks only if something needed is missing, so that a script with all of it is never kept waiting. */
async function readOrAsk(call: Call): Promise<Record<string, string>> {
  const given = await readFieldOptions(call)
  const isWhole = fields.every(({ name, required }) => !required || name in given)
  const terminal = isWhole ? undefined : findTerminal()
  return terminal === undefined ? given : askFields(terminal, given)
}

/** As the site would keep it, without what was left empty. */
function tidy(body: Record<string, string>): Record<string, string> {
  const { values } = checkFields(body)
  return Object.fromEntries(
    fields.flatMap(({ name, key }) => (values[key] === '' ? [] : [[name, values[key]]])),
  )
}
