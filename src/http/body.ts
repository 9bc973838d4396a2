/** Reads a request body by events: iterating over the stream costs a third of the whole request. */
import type { IncomingMessage } from 'node:http'
import type { Body } from './message.ts'

const empty = Buffer.alloc(0)

/** Its callbacks run after the current code, and cost less than `process.nextTick`. */
const parserIsDone = Promise.resolve()

/**
 * Calls `onBody` once: with the whole body, or with `too-large` as soon as that is certain. Bytes are
 * counted as they come, whatever Content-Length says. After `too-large` the rest is read and thrown
 * away, so that a client that is still sending can read its answer. Never called if the client
 * disconnects first.
 */
export function readBody(
  request: IncomingMessage,
  maxBytes: number,
  onBody: (body: Body) => void,
): void {
  const { headers } = request
  const length = headers['content-length']
  if (length !== undefined) readCounted(request, Number(length), maxBytes, onBody)
  else if (headers['transfer-encoding'] !== undefined) readChunked(request, maxBytes, onBody)
  else onBody(empty)
}

/** node's parser passes on exactly as many bytes as Content-Length says. */
function readCounted(
  request: IncomingMessage,
  length: number,
  maxBytes: number,
  onBody: (body: Body) => void,
): void {
  if (length > maxBytes) {
    request.resume()
    onBody('too-large')
    return
  }
  if (length === 0) {
    onBody(empty)
    return
  }
  // A small body mostly arrives with its head. Once the parser is done with both, one read() gets
  // it, without the cost of starting a stream.
  void parserIsDone.then(() => {
    const first = request.read() as Buffer | null
    if (first?.length === length) onBody(first)
    else readRest(request, first, length, onBody)
  })
}

function readRest(
  request: IncomingMessage,
  first: Buffer | null,
  length: number,
  onBody: (body: Body) => void,
): void {
  const chunks = first === null ? [] : [first]
  let size = first?.length ?? 0
  request.on('data', (chunk: Buffer) => {
    size += chunk.length
    chunks.push(chunk)
    if (size === length) onBody(Buffer.concat(chunks, size))
  })
}

function readChunked(
  request: IncomingMessage,
  maxBytes: number,
  onBody: (body: Body) => void,
): void {
  let chunks: Buffer[] = []
  let size = 0
  request.on('data', (chunk: Buffer) => {
    if (size > maxBytes) return
    size += chunk.length
    chunks.push(chunk)
    if (size <= maxBytes) return
    chunks = []
    onBody('too-large')
  })
  request.on('end', () => {
    if (size <= maxBytes) onBody(Buffer.concat(chunks, size))
  })
}
