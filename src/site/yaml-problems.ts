/** What the errors of the YAML parser mean to an owner, and what he can do. */

export type YamlProblem = {
  code: string
  message: string
  /** The code of the error after it, which tells two causes apart. */
  nextCode: string | undefined
  /** The text before the place of the error. */
  before: string
}

/**
 * Where the mistake is: at the place of the error, in the line after it, or where the quotation
 * mark or bracket before it opens.
 */
export type MistakeAt = 'error' | 'next line' | 'opening'

type Row = {
  codes: readonly string[]
  when?: (problem: YamlProblem) => boolean
  words: string
  at?: MistakeAt
}

const spaces =
  'this line begins with too many or too few spaces: entries that belong together begin in the same column, and a hyphen has a space after it'
const colon = 'a colon and a space are missing in this line'
const quotes = 'a text that begins with one of the signs @ ` % & * ! | > must be in quotes'

/** The first that fits counts. */
const rows: readonly Row[] = [
  {
    codes: ['UNEXPECTED_TOKEN'],
    when: ({ message, before }) => message.endsWith('at node end') && /['"\]}]\s*$/.test(before),
    words: `something follows after the closing quotation mark or bracket: in '…' write an apostrophe twice (''), or put "…" around the text`,
  },
  {
    codes: ['UNEXPECTED_TOKEN'],
    when: ({ message }) => message.endsWith('at node end'),
    words: spaces,
  },
  {
    codes: ['UNEXPECTED_TOKEN'],
    words: 'there is a sign too many in this line, or its text must be in quotes',
  },
  {
    codes: ['BLOCK_AS_IMPLICIT_KEY', 'MISSING_CHAR'],
    when: ({ message }) => /^(?:A block sequence|Sequence item)/.test(message),
    words: spaces,
  },
  {
    codes: ['BLOCK_AS_IMPLICIT_KEY'],
    when: ({ nextCode }) => nextCode === 'MULTILINE_IMPLICIT_KEY',
    words: spaces,
    at: 'next line',
  },
  {
    codes: ['BLOCK_AS_IMPLICIT_KEY'],
    words: 'there is a second colon in this line: put quotes around the text after the first one',
  },
  {
    codes: ['BAD_INDENT', 'MISSING_CHAR'],
    when: ({ message }) => message.startsWith('Flow '),
    words: 'a closing bracket is missing',
    at: 'opening',
  },
  { codes: ['BAD_INDENT'], words: spaces },
  { codes: ['TAB_AS_INDENT'], words: 'this line begins with a tab: use spaces' },
  {
    codes: ['MISSING_CHAR'],
    when: ({ message }) => message.startsWith('Missing closing'),
    words: 'a closing quotation mark is missing',
    at: 'opening',
  },
  {
    codes: ['MISSING_CHAR'],
    when: ({ message }) => message.startsWith('Comments'),
    words: 'a # needs a space before it, or its text quotes around it',
  },
  {
    codes: ['MISSING_CHAR'],
    when: ({ message }) => message.startsWith('Missing ,'),
    words: 'a comma is missing between two entries of the list',
  },
  { codes: ['MISSING_CHAR', 'MULTILINE_IMPLICIT_KEY', 'KEY_OVER_1024_CHARS'], words: colon },
  { codes: ['DUPLICATE_KEY'], words: 'this entry is there twice: keep one of them' },
  {
    codes: ['BAD_SCALAR_START', 'BAD_ALIAS', 'TAG_RESOLVE_FAILED', 'BAD_DIRECTIVE'],
    words: quotes,
  },
  {
    codes: ['BAD_DQ_ESCAPE'],
    words: `in "…" write a backslash twice (\\\\), or put '…' around the text`,
  },
  { codes: ['MULTIPLE_DOCS'], words: 'a line of --- or ... has no place here: take it away' },
]

export function explainYaml(problem: YamlProblem): { words: string; at: MistakeAt } {
  const row = rows.find(
    ({ codes, when = () => true }) => codes.includes(problem.code) && when(problem),
  )
  const general = `this line cannot be read; compare it with the lines around it (${problem.message})`
  return { words: row?.words ?? general, at: row?.at ?? 'error' }
}
