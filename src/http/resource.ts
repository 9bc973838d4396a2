/** What is the same for everybody: its bytes, its headers and its 304 are made once. */
import { hash } from 'node:crypto'
import { compress, createEncodingChoice, encodings } from './encoding.ts'
import type { Encoding } from './encoding.ts'
import type { Answer, Ask } from './message.ts'

export type ResourceParts = {
  status?: number
  body: string | Buffer
  /** Name, value, ... The resource adds ETag and Content-Encoding. */
  headers: readonly string[]
}

export type Resource = {
  answer: (ask: Ask) => Answer
  /** Makes the compressed forms. Until then everybody gets the plain one. */
  prepare: () => Promise<void>
}

/** One body, in one form for each encoding: by its own strong ETag, as RFC 9110, 8.8.3.3 wants it. */
type Form = { whole: Answer; unchanged: Answer; etag: string }

const chooseEncoding = createEncodingChoice()

export function createResource({ status = 200, body, headers }: ResourceParts): Resource {
  const bytes = Buffer.from(body)
  const plain = toForm(status, bytes, headers)
  const forms: Partial<Record<Encoding, Form>> = {}

  return {
    answer({ headers: { 'accept-encoding': accepted, 'if-none-match': known } }) {
      const encoding = chooseEncoding(accepted)
      const form = (encoding !== undefined && forms[encoding]) || plain
      return known !== undefined && matches(known, form.etag) ? form.unchanged : form.whole
    },
    async prepare() {
      await Promise.all(
        encodings.map(async (encoding) => {
          const packed = await compress(bytes, encoding, 'once')
          if (packed.length >= bytes.length) return
          forms[encoding] = toForm(status, packed, [...headers, 'Content-Encoding', encoding])
        }),
      )
    },
  }
}

function toForm(status: number, bytes: Buffer, headers: readonly string[]): Form {
  const etag = `"${hash('sha256', bytes, 'base64url').slice(0, 22)}"`
  const about = { status, headers: [...headers, 'ETag', etag] }
  const whole: Answer =
    bytes.length > longBytes
      ? { ...about, body: bytes }
      : { ...about, body: bytes.toString('latin1'), bytes: true }
  // A missing page stays missing, however well it is known.
  if (status !== 200) return { whole, unchanged: whole, etag }
  return { whole, unchanged: { status: 304, headers: unchangedHeaders(whole), body: '' }, etag }
}

/** A short body goes out fastest as a text, together with the head; a long one as it lies in memory. */
const longBytes = 12_000

const repeatedIn304 = new Set(['cache-control', 'content-location', 'etag', 'vary', 'link'])

/** RFC 9110, 15.4.5. */
function unchangedHeaders({ headers }: Answer): string[] {
  return headers.filter((_, index) =>
    repeatedIn304.has(headers[index - (index % 2)]!.toLowerCase()),
  )
}

/** Weak comparison, as for GET and HEAD (RFC 9110, 13.1.2). */
function matches(known: string, etag: string): boolean {
  if (known === etag || known === '*') return true
  return known.split(',').some((each) => each.trim().replace(/^W\//, '') === etag)
}
