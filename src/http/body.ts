/** Reads request bodies: bytes, JSON and forms. */
import { isUtf8 } from 'node:buffer'
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import type { Body } from './message.ts'

const empty = Buffer.alloc(0)

/** A large body in chunks of one byte each would take too much time and memory. */
const mostPieces = 1_000

/**
 * Reads even a body that is too large to its end, because many clients read the answer only then.
 * `undefined`: it came in too many pieces, and the connection is closed.
 */
export function readBody(
  request: IncomingMessage,
  maxBytes: number,
): Promise<Body | undefined> | Body {
  const { 'content-length': length, 'transfer-encoding': coding } = request.headers
  if (length === undefined && coding === undefined) return empty
  // If the connection closes before the end of the body, the promise stays pending.
  return new Promise((resolve) => {
    const chunks: Buffer[] = []
    let size = 0
    request.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size <= maxBytes) chunks.push(chunk)
      if (chunks.length <= mostPieces) return
      // node still parses the pieces that it has already read from a destroyed socket.
      request.removeAllListeners('data')
      request.destroy()
      resolve(undefined)
    })
    request.on('end', () => {
      const bytes = Buffer.concat(chunks)
      resolve(size > maxBytes ? { start: bytes } : bytes)
    })
  })
}

export function mediaType(contentType = ''): string {
  return contentType.split(';', 1)[0]!.trim().toLowerCase()
}

/** We decompress nothing, because a small body could become a huge one. */
export function isUncompressed({ 'content-encoding': encoding }: IncomingHttpHeaders): boolean {
  return encoding === undefined || encoding.trim().toLowerCase() === 'identity'
}

/** Drops the parser's message, because it repeats a part of the input. */
export function readJson(bytes: Buffer): { readonly value: unknown } | undefined {
  if (!isUtf8(bytes)) return undefined
  const text = bytes.toString('utf8')
  try {
    return { value: JSON.parse(text.startsWith('\ufeff') ? text.slice(1) : text) as unknown }
  } catch {
    return undefined
  }
}

/** Decoding more fields would take too much time. */
export const mostPairs = 1_000

export function hasTooManyPairs(form: Buffer): boolean {
  return form.toString('latin1').split('&', mostPairs + 1).length > mostPairs
}

export type Pair = readonly [name: string, value: string]

/** Parses a form as WHATWG URL, 5.1 says, but accepts text that is not UTF-8 as well. */
export function readForm(bytes: Buffer): Pair[] {
  const pairs = bytes.toString('latin1').split('&').filter(Boolean)
  return pairs.map((pair) => {
    const [name = '', ...value] = pair.split('=')
    return [decode(name), decode(value.join('='))]
  })
}

/** Each character of `text` stands for one byte. */
function decode(text: string): string {
  // A shortcut for most names and short values, which need no decoding.
  if (/^[\w.-]*$/.test(text)) return text
  const unescaped = text
    .replaceAll('+', ' ')
    .replaceAll(/%[\da-f]{2}/gi, (escape) =>
      String.fromCharCode(Number.parseInt(escape.slice(1), 16)),
    )
  const bytes = Buffer.from(unescaped, 'latin1')
  // Old browsers and scripts send windows-1252, in which `Jos%E9` is José.
  return isUtf8(bytes) ? bytes.toString('utf8') : windows1252.decode(bytes)
}

const windows1252 = new TextDecoder('windows-1252')
