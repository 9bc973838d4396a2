/** A body that is the same for all clients: its bytes, its headers and its 304 are made once. */
import { hash } from 'node:crypto'
import { chooseEncoding, compress, encodings } from './encoding.ts'
import type { EncodingChoice } from './encoding.ts'
import type { Ask, WholeAnswer } from './message.ts'

export type ResourceParts = {
  status?: number
  /** Called at most once, when first needed. */
  body: () => string | Buffer
  /** Name, value, ... The resource adds ETag and Content-Encoding. */
  headers: readonly string[]
}

export type Resource = {
  answer: (ask: Ask) => WholeAnswer
  /** Makes the compressed variants. Until then all clients get the plain one. */
  prepare: () => Promise<void>
}

/** The body in one encoding, with a strong ETag of its own (RFC 9110, 8.8.3.3). */
type Variant = { whole: WholeAnswer; unchanged: WholeAnswer; etag: string }

export function createResource({ status = 200, body, headers }: ResourceParts): Resource {
  let bytes: Buffer | undefined
  let plain: Variant | undefined
  const variants: Partial<Record<EncodingChoice, Variant>> = {}
  const plainBytes = () => (bytes ??= Buffer.from(body()))
  const plainVariant = () => (plain ??= toVariant(status, plainBytes(), headers))

  return {
    answer({ headers: { 'accept-encoding': accepted, 'if-none-match': known } }) {
      const variant = variants[chooseEncoding(accepted)] ?? plainVariant()
      return known !== undefined && matches(known, variant.etag) ? variant.unchanged : variant.whole
    },
    async prepare() {
      for (const encoding of encodings) {
        const packed = await compress(plainBytes(), encoding, 'once')
        if (packed.length >= plainBytes().length) continue
        variants[encoding] = toVariant(status, packed, [...headers, 'Content-Encoding', encoding])
      }
    },
  }
}

function toVariant(status: number, bytes: Buffer, headers: readonly string[]): Variant {
  const etag = `"${hash('sha256', bytes, 'base64url').slice(0, 22)}"`
  const about = { status, fixedHeaders: Object.freeze([...headers, 'ETag', etag]) }
  const whole: WholeAnswer =
    bytes.length > longBytes
      ? { ...about, body: bytes }
      : { ...about, body: bytes.toString('latin1'), bytes: true }
  // 404 stays 404, whatever the client has cached.
  if (status !== 200) return { whole, unchanged: whole, etag }
  const unchanged = { status: 304, fixedHeaders: unchangedHeaders(about.fixedHeaders), body: '' }
  return { whole, unchanged, etag }
}

/** A short body goes out fastest as a string, together with the head; a longer one as a buffer. */
const longBytes = 12_000

const repeatedIn304 = new Set(['cache-control', 'content-location', 'etag', 'vary', 'link'])

/** RFC 9110, 15.4.5. */
function unchangedHeaders(headers: readonly string[]): readonly string[] {
  return Object.freeze(
    headers.filter((_, index) => repeatedIn304.has(headers[index - (index % 2)]!.toLowerCase())),
  )
}

/** Weak comparison, as for GET and HEAD (RFC 9110, 13.1.2). */
function matches(known: string, etag: string): boolean {
  if (known === etag || known === '*') return true
  return known.split(',').some((each) => each.trim().replace(/^W\//, '') === etag)
}
