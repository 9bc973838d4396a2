/** The body of a request: its bytes, what kind it says to be, JSON and forms. */
import { isUtf8 } from 'node:buffer'
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import type { Body } from './message.ts'

const empty = Buffer.alloc(0)

/** A body of single bytes, each in a chunk of its own, would cost more than all that is done with it. */
const mostPieces = 1_000

/**
 * Resolves at the end of the body, so that a client that only writes can read its answer then. Bytes
 * after `maxBytes` are thrown away. Stays pending when the client disconnects first. A body in too many
 * pieces closes its connection.
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

/** The type of a Content-Type header, without parameters, in lower case; '' when there is none. */
export function mediaType(contentType = ''): string {
  return contentType.split(';', 1)[0]!.trim().toLowerCase()
}

/** No Content-Encoding: we decompress nothing, so that a small body cannot become a large one. */
export function isUncompressed({ 'content-encoding': encoding }: IncomingHttpHeaders): boolean {
  return encoding === undefined || encoding.trim().toLowerCase() === 'identity'
}

/** `undefined`: not UTF-8, or not JSON. The parser's own messages are never shown: they repeat the input. */
export function readJson(bytes: Buffer): { readonly value: unknown } | undefined {
  if (!isUtf8(bytes)) return undefined
  const text = bytes.toString('utf8')
  try {
    return { value: JSON.parse(text.startsWith('\ufeff') ? text.slice(1) : text) as unknown }
  } catch {
    return undefined
  }
}

export type Pair = readonly [name: string, value: string]

/** application/x-www-form-urlencoded (WHATWG URL, 5.1), without losing a name that is not UTF-8. */
export function readForm(bytes: Buffer): Pair[] {
  const pairs = bytes.toString('latin1').split('&')
  return pairs.filter((pair) => pair !== '').map(toPair)
}

function toPair(text: string): Pair {
  const [name = '', ...value] = text.split('=')
  return [decode(name), decode(value.join('='))]
}

/** Each character of `text` stands for one byte. */
function decode(text: string): string {
  // Most names and short values: a body may have thousands.
  if (/^[\w.-]*$/.test(text)) return text
  const unescaped = text
    .replaceAll('+', ' ')
    .replaceAll(/%[\da-f]{2}/gi, (escape) =>
      String.fromCharCode(Number.parseInt(escape.slice(1), 16)),
    )
  const bytes = Buffer.from(unescaped, 'latin1')
  // Old browsers and scripts send windows-1252: `Jos%E9` is José, not Jos\ufffd.
  return isUtf8(bytes) ? bytes.toString('utf8') : windows1252.decode(bytes)
}

const windows1252 = new TextDecoder('windows-1252')
