/** Writes the head and the body of an answer to its connection. */
import { once } from 'node:events'
import { STATUS_CODES, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { isStreamed, type Answer, type StreamSource, type WholeAnswer } from './message.ts'

/** All headers of an answer. `more` are those of every answer. */
export function toHeaders(answer: Answer, more: readonly string[]): string[] {
  const headers = [...answer.headers, ...more]
  // Answers without a body have no Content-Length (RFC 9110, 8.6); node sends a stream in chunks.
  if (!isStreamed(answer) && answer.status !== 204 && answer.status !== 304) {
    headers.push('Content-Length', String(Buffer.byteLength(answer.body)))
  }
  return headers
}

/** The last answer of a connection on which no request could be read. */
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

/**
 * Sends a body that is made while it is sent. A piece is asked for once the client has taken the one
 * before: a slow reader holds no memory. `gone`: the connection was closed before the end. See
 * docs/decisions/0013-connections.md.
 */
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
    await sendPieces(response, source(ended), ended)
    return 'whole'
  } catch (error) {
    if (ended.aborted) return 'gone'
    // Without a reset, a part of a file could be taken for the whole.
    socket.resetAndDestroy()
    throw error
  } finally {
    socket.off('close', end)
  }
}

async function sendPieces(
  response: ServerResponse,
  pieces: AsyncGenerator<string>,
  ended: AbortSignal,
): Promise<void> {
  let startedAt = performance.now()
  for await (const piece of pieces) {
    ended.throwIfAborted()
    const tookMs = performance.now() - startedAt
    if (!response.write(piece)) await once(response, 'drain', { signal: ended })
    // Others have half of the time: a piece may take some milliseconds, and leads wait behind it.
    await sleep(tookMs, undefined, { signal: ended })
    startedAt = performance.now()
  }
  ended.throwIfAborted()
  response.end()
}
