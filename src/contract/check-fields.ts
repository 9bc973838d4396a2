/** Normalises the fields of a request, and finds what is wrong with them. */
import { fields, isEmail, isOneLine, type Field, type FieldValues } from './fields.ts'

export type Problem = { field: string; problem: string; example: string }

export function checkFields(body: Readonly<Record<string, unknown>>) {
  const values = {} as FieldValues
  const problems: Problem[] = []
  for (const field of fields) {
    const { name, key, example } = field
    const sent = body[name]
    const value = typeof sent === 'string' ? normaliseField(field, sent) : ''
    values[key] = value
    const problem = findProblem(field, sent, value)
    if (problem !== undefined) problems.push({ field: name, problem, example })
  }
  return { values, problems }
}

export function normaliseField(field: Pick<Field, 'input'>, text: string): string {
  return isOneLine(field) ? normaliseLine(text) : normaliseText(text)
}

/** src/discovery/openapi.ts tells clients this rule: change both. */
export function normaliseText(text: string): string {
  if (!untidy.test(text)) return text.trim()
  return text.toWellFormed().replaceAll(lineEnds, '\n').replaceAll(controls, '').trim()
}

export function normaliseLine(text: string): string {
  return untidyLine.test(text) ? normaliseText(text.replaceAll(breaks, ' ')) : text.trim()
}

/** Counts code points, as JSON Schema does. */
export function isLongerThan(text: string, maxLength: number): boolean {
  return text.length > maxLength && [...text].length > maxLength
}

// Every surrogate matches. `toWellFormed` then keeps whole pairs and replaces single halves.
// oxlint-disable-next-line no-control-regex
const untidy = /[\0-\x08\v\f\r\x0e-\x1f\ud800-\udfff]/
const lineEnds = /\r\n?/g
// oxlint-disable-next-line no-control-regex
const untidyLine = /[\0-\x1f\x85\u2028\u2029\ud800-\udfff]/
const breaks = /[\t-\r\x85\u2028\u2029]+/g
// oxlint-disable-next-line no-control-regex
const controls = /[\0-\x08\v\f\x0e-\x1f]/g

/** U+2800 is the Braille pattern without dots. */
const visible = /[^\s\p{Default_Ignorable_Code_Point}\u2800]/u

function findProblem(field: Field, sent: unknown, value: string): string | undefined {
  if (sent === undefined || sent === null) return field.required ? 'is missing' : undefined
  if (typeof sent !== 'string') {
    return field.required ? 'must be one text' : 'must be one text; leave it out if there is none'
  }
  if (field.required && !visible.test(value)) return 'is empty'
  if (value === '') return undefined
  // The length is checked first, so that no pattern runs on a long text.
  if (isLongerThan(value, field.maxLength)) {
    return `is too long: at most ${field.maxLength} characters; nothing was cut or kept`
  }
  if (field.input === 'email' && !isEmail(value)) {
    return 'is not a valid email address: send one address, with an @ and a dot after it'
  }
  return undefined
}
