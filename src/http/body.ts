/** Reads the body of a request: its bytes, its media type, JSON and forms. */
import { isUtf8 } from 'node:buffer'
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import type { Body } from './message.ts'

const empty = Buffer.alloc(0)

/** The most chunks of one body. A large body in chunks of one byte each would take too much time and memory. */
const mostPieces = 1_000

/**
 * Reads a body to its end, even one that is too large, because many clients read no answer before
 * they have sent all of it. Chunks past `maxBytes` are dropped. A body in too many chunks closes
 * its connection. If the connection closes before the end, the promise stays pending.
 */
export function readBody(request: IncomingMessage, maxBytes: number): Promise<Body> | Body {
  const { 'content-length': length, 'transfer-encoding': coding } = request.headers
  if (length === undefined && coding === undefined) return empty
  return new Promise((resolve) => {
    const chunks: Buffer[] = []
    let size = 0
    request.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size <= maxBytes) chunks.push(chunk)
      if (chunks.length > mostPieces) request.socket.destroy()
    })
    request.on('end', () => {
      const bytes = Buffer.concat(chunks)
      resolve(size > maxBytes ? { start: bytes } : bytes)
    })
  })
}

/** Returns the type in a Content-Type header, without parameters, in lower case; '' if there is none. */
export function mediaType(contentType = ''): string {
  return contentType.split(';', 1)[0]!.trim().toLowerCase()
}

/** Whether the body has no Content-Encoding. We decompress nothing, because a small body could become a huge one. */
export function isUncompressed({ 'content-encoding': encoding }: IncomingHttpHeaders): boolean {
  return encoding === undefined || encoding.trim().toLowerCase() === 'identity'
}

/** Returns `undefined` for bytes that are not JSON in UTF-8. The parser's message is dropped, because it repeats the input. */
export function readJson(bytes: Buffer): { readonly value: unknown } | undefined {
  if (!isUtf8(bytes)) return undefined
  const text = bytes.toString('utf8')
  try {
    return { value: JSON.parse(text.startsWith('\ufeff') ? text.slice(1) : text) as unknown }
  } catch {
    return undefined
  }
}

/** The most fields (pairs of name and value) of a form. Our form has a dozen. Decoding thousands would take too much time. */
export const mostPairs = 1_000

export function hasTooManyPairs(form: Buffer): boolean {
  let at = -1
  for (let count = 0; count < mostPairs; count += 1) {
    at = form.indexOf('&', at + 1)
    if (at === -1) return false
  }
  return true
}

export type Pair = readonly [name: string, value: string]

/** Reads application/x-www-form-urlencoded (WHATWG URL, 5.1), but also accepts text that is not UTF-8. */
export function readForm(bytes: Buffer): Pair[] {
  const pairs = bytes.toString('latin1').split('&').filter(Boolean)
  return pairs.map((pair) => {
    const [name = '', ...value] = pair.split('=')
    return [decode(name), decode(value.join('='))]
  })
}

/** Each character of `text` stands for one byte. */
function decode(text: string): string {
  // Most names and short values need no decoding. Skipping it saves time if a body has a thousand fields.
  if (/^[\w.-]*$/.test(text)) return text
  const unescaped = text
    .replaceAll('+', ' ')
    .replaceAll(/%[\da-f]{2}/gi, (escape) =>
      String.fromCharCode(Number.parseInt(escape.slice(1), 16)),
    )
  const bytes = Buffer.from(unescaped, 'latin1')
  // Old browsers and scripts send windows-1252. For them, `Jos%E9` is José.
  return isUtf8(bytes) ? bytes.toString('utf8') : windows1252.decode(bytes)
}

const windows1252 = new TextDecoder('windows-1252')
