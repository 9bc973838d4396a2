/** What is the same for everybody: its bytes, its headers and its 304 are made once, when first asked for. */
import { hash } from 'node:crypto'
import { chooseEncoding, compress, encodings } from './encoding.ts'
import type { Encoding, EncodingChoice } from './encoding.ts'
import type { Answer, Ask } from './message.ts'

export type ResourceParts = {
  /** Its own among all resources. */
  name: string
  status?: number
  /** Called at most once. */
  body: () => string | Buffer
  /** Name, value, ... The resource adds ETag and Content-Encoding. */
  headers: readonly string[]
}

export type Resource = {
  answer: (ask: Ask) => Answer
  /**
   * Makes the compressed variants, as far as they are not known from an earlier start, and returns
   * them. Until then everybody gets the plain one.
   */
  prepare: (known: Packed) => Promise<Packed>
}

/** Compressed bodies by name and encoding; empty where none is smaller. */
export type Packed = Readonly<Record<string, Uint8Array>>

/** One body, in one variant for each encoding: by its own strong ETag, as RFC 9110, 8.8.3.3 wants it. */
type Variant = { whole: Answer; unchanged: Answer; etag: string }

export function createResource({ name, status = 200, body, headers }: ResourceParts): Resource {
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
    async prepare(known) {
      const packed: Record<string, Uint8Array> = {}
      for (const encoding of encodings) {
        const place = `${name} ${encoding}`
        const variant = known[place] ?? (await pack(plainBytes(), encoding))
        packed[place] = variant
        if (variant.length === 0) continue
        const about = [...headers, 'Content-Encoding', encoding]
        variants[encoding] = toVariant(status, Buffer.from(variant), about)
      }
      return packed
    },
  }
}

async function pack(bytes: Buffer, encoding: Encoding): Promise<Uint8Array> {
  const packed = await compress(bytes, encoding, 'once')
  return packed.length < bytes.length ? packed : new Uint8Array()
}

function toVariant(status: number, bytes: Buffer, headers: readonly string[]): Variant {
  const etag = `"${hash('sha256', bytes, 'base64url').slice(0, 22)}"`
  const about = { status, fixedHeaders: Object.freeze([...headers, 'ETag', etag]) }
  const whole: Answer =
    bytes.length > longBytes
      ? { ...about, body: bytes }
      : { ...about, body: bytes.toString('latin1'), bytes: true }
  // A missing page stays missing, however well it is known.
  if (status !== 200) return { whole, unchanged: whole, etag }
  const unchanged = { status: 304, fixedHeaders: unchangedHeaders(about.fixedHeaders), body: '' }
  return { whole, unchanged, etag }
}

/** A short body goes out fastest as a text, together with the head; a long one as it lies in memory. */
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
