/** Normalises and checks the listed fields, from their rows alone. Pure, and free of imports but the rows. */
import { emailPattern, fields } from './fields.ts'
import type { Field, FieldKey, FieldValues } from './fields.ts'

export type Problem = { field: string; problem: string; example: string }

/** Values are normalised. With problems, the values are what could be read, for showing again. */
export type CheckedFields = { values: FieldValues; problems: Problem[] }

export function checkFields(body: Readonly<Record<string, unknown>>): CheckedFields {
  const values = { name: '', email: '', phone: '', postcode: '', message: '' }
  const problems: Problem[] = []
  for (const field of rows) {
    const sent = Object.hasOwn(body, field.name) ? body[field.name] : undefined
    if (typeof sent === 'string') values[field.key] = normaliseText(sent)
    const problem = findProblem(field, sent, values[field.key])
    if (problem !== undefined) {
      problems.push({ field: field.name, problem, example: field.example })
    }
  }
  return { values, problems }
}

/**
 * The published normalisation: well-formed Unicode, line ends as \n, no control characters of C0
 * but tab and newline, ends trimmed.
 */
export function normaliseText(text: string): string {
  if (!untidy.test(text)) return text.trim()
  return text.toWellFormed().replaceAll(lineEnds, '\n').replaceAll(controls, '').trim()
}

/** Counts code points, as JSON Schema does. */
export function isLongerThan(text: string, maxLength: number): boolean {
  return text.length > maxLength && [...text].length > maxLength
}

const rows: readonly (Field & { readonly key: FieldKey })[] = fields
const email = new RegExp(emailPattern)

// Surrogates are here too: telling whole pairs from halves is left to toWellFormed.
// oxlint-disable-next-line no-control-regex
const untidy = /[\0-\x08\v\f\r\x0e-\x1f\ud800-\udfff]/
const lineEnds = /\r\n?/g
// oxlint-disable-next-line no-control-regex
const controls = /[\0-\x08\v\f\x0e-\x1f]/g

function findProblem(field: Field, sent: unknown, value: string): string | undefined {
  if (sent === undefined) return field.required ? 'is missing' : undefined
  if (typeof sent !== 'string') return 'must be one text; leave it out if there is none'
  if (value === '') return field.required ? 'is empty' : undefined
  // Length comes before any pattern, so that no pattern ever sees a long text.
  if (isLongerThan(value, field.maxLength)) {
    return `is too long: at most ${field.maxLength} characters; nothing was cut or kept`
  }
  if (field.format === 'email' && !email.test(value)) {
    return 'is not a valid email address: send one address, local@domain, with a dot in the domain'
  }
  return undefined
}
