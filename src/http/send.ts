/** Puts an answer on the wire. */
import { STATUS_CODES } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Answer } from './message.ts'

export type Refusal = 'malformed' | 'too-slow' | 'headers-too-large' | 'crashed'

export function sendAnswer(
  response: ServerResponse,
  answer: Answer,
  id: string,
  closing: boolean,
): void {
  const { status, body } = answer
  const length = lengthOf(answer)
  response.writeHead(status, toHeaders(answer, id, length, closing))
  if (response.req.method === 'HEAD') response.end()
  else if (typeof body !== 'string') response.end(body)
  // Head and body leave in one write. Where one byte stands for each character, latin1 is the same
  // bytes for less work.
  else response.end(body, length === body.length ? 'latin1' : 'utf8')
}

function toHeaders(answer: Answer, id: string, length: number, closing: boolean): string[] {
  const headers = [...answer.headers, 'X-Request-Id', id]
  // Of an answer without a body, the length of what it stands for is not said.
  if (answer.status !== 204 && answer.status !== 304) headers.push('Content-Length', String(length))
  if (closing) headers.push('Connection', 'close')
  return headers
}

function lengthOf({ body, bytes }: Answer): number {
  return bytes ? body.length : Buffer.byteLength(body)
}

function toBytes({ body, bytes }: Answer): Buffer {
  return typeof body === 'string' ? Buffer.from(body, bytes ? 'latin1' : 'utf8') : body
}

const answeredEarly = new WeakSet<Socket>()

export function isAnsweredEarly(socket: Socket): boolean {
  return answeredEarly.has(socket)
}

/**
 * Answers while the client may still be sending. Closing now would reset the connection and often
 * take the answer with it; so the answer goes out whole, and the end waits until the client is done
 * or the server's request timeout ends it.
 */
export function sendEarly(
  request: IncomingMessage,
  response: ServerResponse,
  answer: Answer,
  id: string,
): void {
  answeredEarly.add(request.socket)
  const body = toBytes(answer)
  response.writeHead(answer.status, toHeaders(answer, id, body.length, true))
  const { headers } = request
  const hasBody =
    headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined
  // A client that asked before sending its body has not sent it.
  if (!hasBody || request.complete || headers.expect !== undefined || request.method === 'HEAD') {
    if (request.method === 'HEAD') response.end()
    else response.end(body)
    return
  }
  response.write(body)
  request.on('end', () => response.end())
  request.resume()
}

/** For a connection that never became a request. */
export function refuseSocket(socket: Socket, answer: Answer): void {
  if (!socket.writable) {
    socket.destroy()
    return
  }
  const lines = [`HTTP/1.1 ${answer.status} ${STATUS_CODES[answer.status]}`]
  for (let index = 0; index < answer.headers.length; index += 2) {
    lines.push(`${answer.headers[index]}: ${answer.headers[index + 1]}`)
  }
  const body = toBytes(answer)
  lines.push(`Content-Length: ${body.length}`, 'Connection: close', '', '')
  socket.end(Buffer.concat([Buffer.from(lines.join('\r\n'), 'latin1'), body]))
  // What it still sends is thrown away for a second, so that it can read why.
  socket.resume()
  setTimeout(() => socket.destroy(), 1_000).unref()
}
