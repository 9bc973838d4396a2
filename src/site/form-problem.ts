/** What is wrong with a form, in words for the person who filled it in. Programs read the problem itself. */
import { isLongerThan } from '../contract/check-fields.ts'
import type { Problem } from '../contract/check-fields.ts'
import type { ErrorCode } from '../contract/errors.ts'
import { fields } from '../contract/fields.ts'
import type { Field, FieldKey } from '../contract/fields.ts'
import { inThousands } from '../contract/limits.ts'

/** `field`: its name, or that of another part of the request. `words`: whole sentences. */
export type FormProblem = { field: string; words: string }

/** `sent`: the body, because the words depend on what was typed. */
export function toFormProblems(
  problems: readonly Problem[],
  sent: Readonly<Record<string, unknown>>,
): FormProblem[] {
  return problems.map(({ field }) => {
    const row = fields.find(({ name }) => name === field)
    return { field, words: row === undefined ? unclear : wordsFor(row, sent[field]) }
  })
}

/** Where no single field is at fault. */
export function wholeFormProblem(error: ErrorCode): FormProblem {
  return { field: '(body)', words: wholeForm[error] ?? unclear }
}

/** A text that did not come back with the rest. */
export function lostText(field: string): FormProblem {
  const words =
    'It was too long to bring back here. The Back button of your browser still has what you typed.'
  return { field, words }
}

const { maxLength: longestMessage } = fields.find(({ key }) => key === 'message')!

const unclear = 'Something in the form got lost on the way. Please look it over and send it again.'

/** The form that shows these has a new nonce: sending it makes a new lead. */
const wholeForm: Partial<Record<ErrorCode, string>> = {
  PAYLOAD_TOO_LARGE: `That was more than I can take. Please keep your message to ${inThousands(longestMessage)} characters.`,
  IDEMPOTENCY_KEY_REUSED:
    'This form was sent before, with other words in it. To send it as it stands, press the button.',
  REQUEST_WITHDRAWN:
    'I had received this request, and you withdrew it. To ask again, press the button.',
}

const missing: Partial<Record<FieldKey, string>> = {
  name: 'Please tell me your name.',
  email: 'Please add your email address, so that I can answer you.',
}

function wordsFor(row: Field & { readonly key: FieldKey }, sent: unknown): string {
  const { key, label, maxLength } = row
  if (sent !== undefined && typeof sent !== 'string')
    return `${label} came twice. Please fill it in once.`
  const text = (sent ?? '').trim()
  if (text === '') return missing[key] ?? `${label} is missing.`
  if (isLongerThan(text, maxLength)) {
    const length = inThousands([...text].length)
    return `${label} is ${length} characters long, and ${inThousands(maxLength)} is the most I can take. Please shorten it.`
  }
  return row.format === 'email' ? emailSlip(text) : unclear
}

/** The likeliest slip in an address that is not valid. */
function emailSlip(text: string): string {
  const [local = '', domain = '', ...more] = text.split('@')
  if (/[\s,;]/.test(text) || more.length > 0) return 'Please give one address, without spaces.'
  if (!text.includes('@')) return 'This address has no @ in it.'
  if (local === '' || domain === '') {
    return `This address seems to lack what comes ${local === '' ? 'before' : 'after'} the @.`
  }
  if (/^\.|\.$|\.\./.test(local) || /^\.|\.\./.test(domain))
    return 'This address has a dot too many.'
  if (!domain.replace(/\.$/, '').includes('.')) {
    return 'This address seems to lack its ending, such as .com.au.'
  }
  return 'There seems to be a slip in this address. Please look at it again.'
}
