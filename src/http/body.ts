/** The body of a request: its bytes, what kind it says to be, and JSON. */
import { isUtf8 } from 'node:buffer'
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import type { Body } from './message.ts'

const empty = Buffer.alloc(0)

/**
 * Resolves at the end of the body, so that a client that only writes can read its answer then. What
 * lies past `maxBytes` is thrown away. Stays pending when the client disconnects first.
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
    })
    request.on('end', () => resolve(size > maxBytes ? 'too-large' : Buffer.concat(chunks)))
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
