/** Sends answers over node's sockets: headers, last answers and streams. */
import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  isStreamed,
  type Answer,
  type Headers,
  type StreamSource,
  type WholeAnswer,
} from './message.ts'

/** See server.ts. */
const { STATUS_CODES } = process.getBuiltinModule('node:http')

/** Names and values in turn, as node writes them fastest. */
export function toHeaders(answer: Answer, more: Headers): string[] {
  const headers: string[] = []
  for (const named of [answer.headers, more]) {
    for (const [name, value] of Object.entries(named)) headers.push(name, value)
  }
  for (const cookie of answer.cookies ?? []) headers.push('Set-Cookie', cookie)
  // A 204 must have no Content-Length, and a 304 only that of the whole body (RFC 9110, 8.6).
  if (!isStreamed(answer) && answer.status !== 204 && answer.status !== 304) {
    headers.push('Content-Length', String(Buffer.byteLength(answer.body)))
  }
  return headers
}

export function sendLast(socket: Socket, answer: WholeAnswer, more: Headers): void {
  const { status, body } = answer
  const lines = toHeaders(answer, { ...more, Connection: 'close' }).map(
    (text, index) => text + (index % 2 === 0 ? ': ' : '\r\n'),
  )
  socket.write(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n`)
  socket.end(body)
  // Closing a socket with unread input could lose the answer that was just sent.
  socket.resume()
  setTimeout(() => socket.destroy(), 1_000).unref()
}

/** Makes no further piece while the buffer is full, so that a slow client takes little memory. */
export async function sendStream(
  response: ServerResponse,
  source: StreamSource,
): Promise<'whole' | 'gone'> {
  const { socket } = response.req
  const ending = new AbortController()
  const { signal: ended } = ending
  const end = () => ending.abort()
  socket.once('close', end)
  if (socket.destroyed) end()
  try {
    let startedAt = performance.now()
    for await (const piece of source(ended)) {
      ended.throwIfAborted()
      const tookMs = performance.now() - startedAt
      if (!response.write(piece)) await once(response, 'drain', { signal: ended })
      // Pauses for as long as the piece took to make, so that other requests get half of the time.
      await sleep(tookMs, undefined, { signal: ended })
      startedAt = performance.now()
    }
    ended.throwIfAborted()
    response.end()
    return 'whole'
  } catch (error) {
    if (ended.aborted) return 'gone'
    // Without a reset, the client could mistake a part of a file for the whole file.
    socket.resetAndDestroy()
    throw error
  } finally {
    socket.off('close', end)
  }
}
