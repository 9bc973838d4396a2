/** Writes a whole answer to its connection. */
import { STATUS_CODES, type IncomingMessage, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { hasBody } from './body.ts'
import { isStreamed, type Answer, type WholeAnswer } from './message.ts'

export type Refusal = 'malformed' | 'too-slow' | 'headers-too-large' | 'crashed'

export type AnswerContext = {
  /** Of the request. */
  id: string
  /** Headers of every answer. */
  everyAnswer: readonly string[]
  /** The connection ends with this answer. */
  closing: boolean
}

export function sendWhole(
  response: ServerResponse,
  answer: WholeAnswer,
  context: AnswerContext,
): void {
  response.writeHead(answer.status, toHeaders(answer, context)).end(answer.body)
}

export function toHeaders(answer: Answer, { id, everyAnswer, closing }: AnswerContext): string[] {
  const headers = [...answer.headers, ...everyAnswer, 'X-Request-Id', id]
  // Answers without a body have no Content-Length (RFC 9110, 8.6); node sends a stream in chunks.
  if (!isStreamed(answer) && answer.status !== 204 && answer.status !== 304) {
    headers.push('Content-Length', String(Buffer.byteLength(answer.body)))
  }
  if (closing) headers.push('Connection', 'close')
  return headers
}

/**
 * Answers while the client may still be sending. Closing now would reset the connection, and the
 * client might never read the answer; so the answer goes out whole, and the connection ends when the
 * client is done or the request times out.
 */
export function sendEarly(
  request: IncomingMessage,
  response: ServerResponse,
  answer: WholeAnswer,
  context: AnswerContext,
): void {
  response.writeHead(answer.status, toHeaders(answer, { ...context, closing: true }))
  // A client that asked before sending its body has not sent it.
  if (!hasBody(request) || request.complete || request.headers.expect !== undefined) {
    response.end(answer.body)
    return
  }
  response.write(answer.body)
  request.on('end', () => response.end())
  request.resume()
}

/** For a connection on which no request could be read. */
export function sendLast(
  socket: Socket,
  { status, headers, body }: WholeAnswer,
  everyAnswer: readonly string[],
): void {
  const own = ['Content-Length', String(Buffer.byteLength(body)), 'Connection', 'close']
  const all = [...headers, ...everyAnswer, ...own]
  const lines = all.map((text, index) => text + (index % 2 === 0 ? ': ' : '\r\n'))
  socket.write(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n`)
  socket.end(body)
  // Reads on for a second, so that the client can read the answer before a reset.
  socket.resume()
  setTimeout(() => socket.destroy(), 1_000).unref()
}
