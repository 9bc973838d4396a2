/** An export as a file that a browser saves: its kinds, its name and its headers. */
import { html } from '../../html.ts'
import type { Html } from '../../html.ts'
import type { StreamedAnswer, StreamSource } from '../../http/message.ts'
import { guardedHeaders } from './answers.ts'

const fileFormats = {
  csv: { label: 'CSV, for a spreadsheet', type: 'text/csv; charset=utf-8; header=present' },
  json: { label: 'JSON, for a program', type: 'application/json' },
} as const

export type FileFormat = keyof typeof fileFormats

export function isFileFormat(text: string): text is FileFormat {
  return Object.hasOwn(fileFormats, text)
}

/** The kinds to choose from, and the button. */
export const formatFields: Html = html`<fieldset>
<legend>File</legend>
${Object.entries(fileFormats).map(
  ([format, { label }], index) =>
    html`<label class="choice"><input type="radio" name="format" value="${format}" required${index === 0 ? html` checked` : ''}> ${label}</label>
`,
)}</fieldset>
<button type="submit" class="wide">Save the file</button>
`

/** A name that names nobody: it stays in lists of downloads. */
export function fileAnswer(
  source: StreamSource,
  {
    name,
    format,
    at,
    timeZone,
  }: { name: string; format: FileFormat; at: number; timeZone: string },
): StreamedAnswer {
  const day = new Intl.DateTimeFormat('sv-SE', { dateStyle: 'short', timeZone }).format(at)
  return {
    status: 200,
    headers: [
      'Content-Type',
      fileFormats[format].type,
      'Content-Disposition',
      `attachment; filename="requests-${name}-${day}.${format}"`,
      'Cache-Control',
      'no-store',
      ...guardedHeaders,
    ],
    body: format === 'csv' ? withMark(source) : source,
  }
}

/** Without the mark, Excel reads a file of UTF-8 as something else. */
function withMark(source: StreamSource): StreamSource {
  return async function* (ended) {
    yield '\ufeff'
    yield* source(ended)
  }
}
