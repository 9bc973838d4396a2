/**
 * Compressed answers with ETags. The bytes, headers and 304 of a resource are made once, when the first client asks for
 * them, because it is the same for all clients.
 */
import { hash } from 'node:crypto'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip, zstdCompress } from 'node:zlib'
import { type Policy } from '../http/answers.ts'
import { withHeaders, type Ask, type Headers, type WholeAnswer } from '../http/message.ts'
import { chooseEncoding, type Encoding } from '../http/negotiate.ts'
import { lazily } from '../lazily.ts'

export type Resource = (ask: Ask) => WholeAnswer | Promise<WholeAnswer>

/** Each encoding has its own strong ETag (RFC 9110, 8.8.3.3). */
type Variant = { whole: WholeAnswer; unchanged: WholeAnswer; etag: string }

type ResourceParts = {
  status?: number
  type: string
  policy: Policy
  /** A function is called when the first client asks. */
  body: string | Buffer | (() => string | Buffer)
}

export function createResource({ status = 200, type, body, policy }: ResourceParts): Resource {
  const headers = { 'Content-Type': type, ...policy }
  const made: Partial<Record<Encoding | 'identity', Variant | Promise<Variant>>> = {}
  const toBytes = lazily(() => toBuffer(body))
  const plain = () => toVariant(status, toBytes(), headers)
  const packed = async (encoding: Encoding) => {
    const small = await compress(toBytes(), encoding, 'once')
    // A photo hardly shrinks.
    if (small.length > toBytes().length * 0.9) return plain()
    return toVariant(status, small, { ...headers, 'Content-Encoding': encoding })
  }
  const make = (encoding: Encoding) => {
    const making = packed(encoding)
    making.then(
      (variant) => (made[encoding] = variant),
      () => delete made[encoding],
    )
    return making
  }
  return ({ headers: { 'accept-encoding': accepted, 'if-none-match': known = '' } }) => {
    const encoding = chooseEncoding(accepted)
    const variant = (made[encoding] ??= encoding === 'identity' ? plain() : make(encoding))
    return variant instanceof Promise
      ? variant.then(unlessKnown(known))
      : unlessKnown(known)(variant)
  }
}

function toBuffer(body: ResourceParts['body']): Buffer {
  const made = typeof body === 'function' ? body() : body
  return typeof made === 'string' ? Buffer.from(made) : made
}

function unlessKnown(known: string): (variant: Variant) => WholeAnswer {
  return ({ etag, unchanged, whole }) => (matches(known, etag) ? unchanged : whole)
}

function toVariant(status: number, bytes: Buffer, headers: Headers): Variant {
  const etag = `"${hash('sha256', bytes, 'base64url').slice(0, 22)}"`
  const whole = { status, headers: { ...headers, ETag: etag }, body: bytes }
  // A 404 never becomes a 304, whatever the client has cached.
  if (status !== 200) return { whole, unchanged: whole, etag }
  const unchanged = { status: 304, headers: unchangedHeaders(whole.headers), body: '' }
  return { whole, unchanged, etag }
}

/** The headers that a 304 repeats (RFC 9110, 15.4.5). */
const repeatedIn304 = ['Cache-Control', 'ETag', 'Vary', 'Link']

function unchangedHeaders(headers: Headers): Headers {
  const repeated = Object.entries(headers).filter(([name]) => repeatedIn304.includes(name))
  return Object.fromEntries(repeated)
}

/** The weak comparison of RFC 9110, 13.1.2. */
function matches(known: string, etag: string): boolean {
  return known === '*' || known.split(',').some((each) => each.trim().replace(/^W\//, '') === etag)
}

/** zlib takes up to 0.3 MB for a compression as soon as it is queued, and four run at a time. */
const mostCompressions = 16
let compressions = 0

/** While 16 compressions are under way, further answers are sent uncompressed, which bounds the memory. */
export async function compressFor(ask: Ask, answer: WholeAnswer): Promise<WholeAnswer> {
  const encoding = chooseEncoding(ask.headers['accept-encoding'])
  if (encoding === 'identity' || compressions >= mostCompressions) return answer
  compressions += 1
  try {
    const body = await compress(Buffer.from(answer.body), encoding, 'each-time')
    return { ...withHeaders(answer, { 'Content-Encoding': encoding }), body }
  } finally {
    compressions -= 1
  }
}

/** The highest levels would make a page a tenth smaller, but the first client would wait for them. */
function compress(body: Buffer, encoding: Encoding, effort: 'once' | 'each-time'): Promise<Buffer> {
  const thorough = effort === 'once'
  if (encoding === 'gzip') return promisify(gzip)(body, { level: thorough ? 9 : 1 })
  if (encoding === 'zstd') {
    const params = { [constants.ZSTD_c_compressionLevel]: thorough ? 12 : 1 }
    // If zstd knows the size, it takes no more memory than it needs.
    return promisify(zstdCompress)(body, { params, pledgedSrcSize: body.length })
  }
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: thorough ? 9 : 1,
    // Pages are small, so a wider window would only take memory.
    [constants.BROTLI_PARAM_LGWIN]: 16,
  }
  return promisify(brotliCompress)(body, { params })
}
