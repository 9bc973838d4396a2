/** Writes the head and the body of an answer to its connection. */
import { STATUS_CODES, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { hasBody } from './body.ts'
import { isStreamed, type Answer, type WholeAnswer } from './message.ts'

export type Refusal = 'malformed' | 'too-slow' | 'headers-too-large' | 'crashed'

/** All headers of an answer. `more` are those of every answer. */
export function toHeaders(answer: Answer, more: readonly string[]): string[] {
  const headers = [...answer.headers, ...more]
  // Answers without a body have no Content-Length (RFC 9110, 8.6); node sends a stream in chunks.
  if (!isStreamed(answer) && answer.status !== 204 && answer.status !== 304) {
    headers.push('Content-Length', String(Buffer.byteLength(answer.body)))
  }
  return headers
}

/**
 * Sends a body while the client may still be sending its own. Closing now would reset the
 * connection, and the client might never read the answer; so the answer goes out whole, and the
 * connection ends when the client is done or the request times out.
 */
export function sendEarly(response: ServerResponse, body: WholeAnswer['body']): void {
  const { req: request } = response
  // A client that asked before sending its body has not sent it.
  if (!hasBody(request) || request.complete || request.headers.expect !== undefined) {
    response.end(body)
    return
  }
  response.write(body)
  request.on('end', () => response.end())
  request.resume()
}

/** For a connection on which no request could be read. */
export function sendLast(socket: Socket, answer: WholeAnswer, more: readonly string[]): void {
  const { status, body } = answer
  const lines = toHeaders(answer, [...more, 'Connection', 'close']).map(
    (text, index) => text + (index % 2 === 0 ? ': ' : '\r\n'),
  )
  socket.write(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n`)
  socket.end(body)
  // Reads on for a second, so that the client can read the answer before a reset.
  socket.resume()
  setTimeout(() => socket.destroy(), 1_000).unref()
}
