/** Writes an answer to its connection. */
// The global of this name is a getter, which every answer would call.
import { Buffer } from 'node:buffer'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { headersOf } from './answer.ts'
import { endOfHead, statusLine, toLines } from './head.ts'
import type { Answer, WholeAnswer } from './message.ts'

export type Refusal = 'malformed' | 'too-slow' | 'headers-too-large' | 'crashed'

/** The id of its request, and the headers that every answer has. */
export type AnswerContext = { id: string; everyAnswer: readonly string[] }

export type SendAnswer = (
  response: ServerResponse,
  answer: WholeAnswer,
  context: AnswerContext,
  closing: boolean,
) => void

/**
 * Heads are made here as long as they are what node makes: the first one is compared with node's.
 * If they differ, `headDiffers` is called and node makes all heads. See docs/decisions/0021-heads.md.
 */
export function createSendAnswer(headDiffers: () => void): SendAnswer {
  let headsBy: 'us' | 'node' | undefined

  return (response, answer, context, closing) => {
    const length = lengthOf(answer)
    if (closing || headsBy === 'node' || !isKeptAlive(response)) {
      response.writeHead(answer.status, toHeaders(answer, context, length, closing))
    } else {
      const head = headOf(answer, context, length)
      if (headsBy === 'us') setHead(response, answer.status, head)
      else {
        response.writeHead(answer.status, toHeaders(answer, context, length, false))
        headsBy = withoutDate(head) === withoutDate(headIn(response)) ? 'us' : 'node'
        if (headsBy === 'node') headDiffers()
      }
    }
    sendBody(response, answer, length)
  }
}

/** HTTP/1.1 on a connection that stays open: the head holds nothing that node must know. */
function isKeptAlive({ shouldKeepAlive, useChunkedEncodingByDefault }: ServerResponse): boolean {
  return shouldKeepAlive && useChunkedEncodingByDefault
}

function headOf(answer: Answer, { id, everyAnswer }: AnswerContext, length: number): string {
  const own = `X-Request-Id: ${id}\r\n${hasLength(answer) ? `Content-Length: ${length}\r\n` : ''}`
  return startOf(answer, everyAnswer) + own + endOfHead()
}

/** Where node keeps a head until the body goes out. */
type WithHead = ServerResponse & { _header?: string | null }

function setHead(response: WithHead, status: number, head: string): void {
  response.statusCode = status
  // oxlint-disable-next-line no-underscore-dangle
  response._header = head
}

/** '' if this version of node keeps it elsewhere. */
function headIn(response: WithHead): string {
  // oxlint-disable-next-line no-underscore-dangle
  return response._header ?? ''
}

/** node's clock and ours may be a second apart. */
function withoutDate(head: string): string {
  return head.replace(/^Date: .*$/m, '')
}

function sendBody(response: ServerResponse, { body }: WholeAnswer, length: number): void {
  if (response.req.method === 'HEAD') response.end()
  else if (typeof body !== 'string') response.end(body)
  // Head and body leave in one write. Where every character is one byte, latin1 is the same bytes
  // for less work.
  else response.end(body, length === body.length ? 'latin1' : 'utf8')
}

export function startOf(
  { status, fixedHeaders = none, headers = none }: Answer,
  everyAnswer: readonly string[],
): string {
  return statusLine(status) + toLines(fixedHeaders) + toLines(headers) + toLines(everyAnswer)
}

const none: readonly string[] = []

/** `length` is `undefined` of a stream: node sends it in chunks. */
export function toHeaders(
  answer: Answer,
  { id, everyAnswer }: AnswerContext,
  length: number | undefined,
  closing: boolean,
): string[] {
  const headers = [...headersOf(answer), ...everyAnswer, 'X-Request-Id', id]
  if (length !== undefined && hasLength(answer)) headers.push('Content-Length', String(length))
  if (closing) headers.push('Connection', 'close')
  return headers
}

/** Content-Length is left out of answers that have no body (RFC 9110, 8.6). */
function hasLength({ status }: Answer): boolean {
  return status !== 204 && status !== 304
}

function lengthOf({ body, bytes }: WholeAnswer): number {
  return bytes ? body.length : Buffer.byteLength(body)
}

export function toBytes({ body, bytes }: WholeAnswer): Buffer {
  return typeof body === 'string' ? Buffer.from(body, bytes ? 'latin1' : 'utf8') : body
}

const answeredEarly = new WeakSet<Socket>()

export function isAnsweredEarly(socket: Socket): boolean {
  return answeredEarly.has(socket)
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
  answeredEarly.add(request.socket)
  const body = toBytes(answer)
  response.writeHead(answer.status, toHeaders(answer, context, body.length, true))
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
