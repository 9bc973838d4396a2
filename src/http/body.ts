/** Reads a request body by events (a loop over the stream costs a third of the whole request). */
import type { IncomingMessage } from 'node:http'
import type { Body } from './message.ts'

const empty = Buffer.alloc(0)

/**
 * Calls `done` once: with the whole body, or with `too-large` as soon as that is certain. Bytes are
 * counted as they come, whatever Content-Length says. What follows a `too-large` is read and thrown
 * away, so that a client still sending gets to read its answer. A client that leaves is not answered.
 */
export function readBody(
  request: IncomingMessage,
  maxBytes: number,
  done: (body: Body) => void,
): void {
  const { headers } = request
  const length = headers['content-length']
  if (length === undefined && headers['transfer-encoding'] === undefined) {
    done(empty)
    return
  }
  if (length !== undefined && Number(length) > maxBytes) {
    request.resume()
    done('too-large')
    return
  }
  let first: Buffer = empty
  let rest: Buffer[] | undefined
  let size = 0
  request.on('data', (chunk: Buffer) => {
    if (size > maxBytes) return
    size += chunk.length
    if (size > maxBytes) {
      rest = undefined
      done('too-large')
    } else if (first === empty) first = chunk
    else if (rest === undefined) rest = [first, chunk]
    else rest.push(chunk)
  })
  request.on('end', () => {
    if (size <= maxBytes) done(rest === undefined ? first : Buffer.concat(rest, size))
  })
}
