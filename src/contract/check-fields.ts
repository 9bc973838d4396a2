/** Normalises and checks the listed fields by their rows. Pure; imports nothing but the rows. */
import {
  emailPattern,
  fieldKeys,
  fields,
  isOneLine,
  type Field,
  type FieldKey,
  type FieldValues,
} from './fields.ts'

export type Problem = { field: string; problem: string; example: string }

/** Values are normalised. With problems, they are what could be read, to show it again. */
export type CheckedFields = { values: FieldValues; problems: Problem[] }

export function checkFields(body: Readonly<Record<string, unknown>>): CheckedFields {
  const values = { ...emptyValues }
  const problems: Problem[] = []
  for (const row of rows) {
    const sent = body[row.name]
    const value = typeof sent === 'string' ? row.normalise(sent) : ''
    values[row.key] = value
    // The fast path: nearly every field of nearly every lead is valid.
    if (value !== '' && value.length <= row.maxLength && (!row.isEmail || email.test(value)))
      continue
    const problem = findProblem(row, sent, value)
    if (problem !== undefined) {
      problems.push({ field: row.name, problem, example: row.example })
    }
  }
  return { values, problems }
}

/**
 * The published normalisation: well-formed Unicode, line ends as \n, no control characters of C0
 * but tab and newline, ends trimmed. For fields of one line see `normaliseLine`.
 */
export function normaliseText(text: string): string {
  if (!untidy.test(text)) return text.trim()
  return text.toWellFormed().replaceAll(lineEnds, '\n').replaceAll(controls, '').trim()
}

/** The same for a field of one line: each run of line breaks and tabs becomes a space. */
function normaliseLine(text: string): string {
  return untidyLine.test(text) ? normaliseText(text.replaceAll(breaks, ' ')) : text.trim()
}

/** Counts code points, as JSON Schema does. */
export function isLongerThan(text: string, maxLength: number): boolean {
  return text.length > maxLength && [...text].length > maxLength
}

const emptyValues = Object.fromEntries(fieldKeys.map((key) => [key, ''])) as FieldValues

type Row = Omit<Field, 'format'> & {
  readonly key: FieldKey
  readonly isEmail: boolean
  readonly normalise: (text: string) => string
}

const rows: readonly Row[] = fields.map((field: Field & { readonly key: FieldKey }) => ({
  ...field,
  isEmail: field.format === 'email',
  normalise: isOneLine(field) ? normaliseLine : normaliseText,
}))
const email = new RegExp(emailPattern)

// Surrogates, too: toWellFormed tells whole pairs from halves.
// oxlint-disable-next-line no-control-regex
const untidy = /[\0-\x08\v\f\r\x0e-\x1f\ud800-\udfff]/
const lineEnds = /\r\n?/g
// oxlint-disable-next-line no-control-regex
const untidyLine = /[\0-\x1f\x85\u2028\u2029\ud800-\udfff]/
const breaks = /[\t-\r\x85\u2028\u2029]+/g
// oxlint-disable-next-line no-control-regex
const controls = /[\0-\x08\v\f\x0e-\x1f]/g

function findProblem(row: Row, sent: unknown, value: string): string | undefined {
  if (sent === undefined || sent === null) return row.required ? 'is missing' : undefined
  if (typeof sent !== 'string') {
    return row.required ? 'must be one text' : 'must be one text; leave it out if there is none'
  }
  if (value === '') return row.required ? 'is empty' : undefined
  // Length comes first, so that no pattern runs on a long text.
  if (isLongerThan(value, row.maxLength)) {
    return `is too long: at most ${row.maxLength} characters; nothing was cut or kept`
  }
  if (row.isEmail && !email.test(value)) {
    return 'is not a valid email address: send one address, with an @ and a dot after it'
  }
  return undefined
}
