/** Where a browser goes after its post, and what a program reads there that posted like a browser. */
import { errorEnvelope, errors } from '../../contract/errors.ts'
import { receivedMessage } from '../../contract/receipt.ts'
import { contactPath, thanksPath } from '../../contract/routes.ts'
import { seeOther, type Answer } from '../../http/message.ts'
import { toFormProblems, wholeFormProblem, type FormProblem } from '../../site/form.ts'
import { clearDraft } from './draft.ts'
import type { Unreadable } from './read-lead.ts'

type Failed = Pick<Unreadable, 'error' | 'problems'>

export function toThanks(): Answer {
  return seeOther(thanksPath, `${receivedMessage} ${forPrograms}`, ...clearDraft)
}

const forPrograms = 'To get the answer as JSON, send Accept: application/json.'

export function toForm(failed: Failed, ...more: string[]): Answer {
  const { message } = errorEnvelope(failed.error, failed.problems).error
  const words = `Nothing was received. ${message} ${errors[failed.error].resolution} ${forPrograms}`
  return seeOther(contactPath, words, ...more)
}

/** A form shows problems only, so an error without problems becomes one. */
export function shownProblems({ error, problems, body }: Unreadable): FormProblem[] {
  return problems.length > 0 ? toFormProblems(problems, body) : [wholeFormProblem(error)]
}

export const reusedKey: Failed = { error: 'IDEMPOTENCY_KEY_REUSED', problems: [] }
export const withdrawn: Failed = { error: 'REQUEST_WITHDRAWN', problems: [] }
