/**
 * Sends an answer whose body is made while it is sent. A piece is asked for once the client has taken
 * the one before: a slow reader holds no memory. See docs/decisions/0038-streams.md.
 */
import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { StreamSource } from './message.ts'

/** `gone`: the client closed the connection, or was shed. */
type StreamEnd = { how: 'whole' | 'gone' | 'stopped' } | { how: 'failed'; error: unknown }

export class Streams {
  readonly #open = new Set<(end: StreamEnd) => void>()
  #isStopped = false

  /** Ends all streams now, and those that come later at once: they may go on for hours. */
  stop(): void {
    this.#isStopped = true
    for (const end of this.#open) end({ how: 'stopped' })
  }

  /** The head is written already. */
  async send(response: ServerResponse, source: StreamSource): Promise<StreamEnd> {
    if (response.req.method === 'HEAD') {
      response.end()
      return { how: 'whole' }
    }
    const { socket } = response.req
    const { promise: ended, resolve: end } = Promise.withResolvers<StreamEnd>()
    const gone = () => end({ how: 'gone' })
    this.#open.add(end)
    socket.once('close', gone)
    if (this.#isStopped) end({ how: 'stopped' })
    if (socket.destroyed) gone()
    const ending = new AbortController()
    const pieces = source(ending.signal)
    pump(response, pieces, ending.signal).then(
      () => end({ how: 'whole' }),
      (error: unknown) => end({ how: 'failed', error }),
    )
    const result = await ended
    this.#open.delete(end)
    socket.off('close', gone)
    ending.abort()
    // The source may be in the middle of a piece; it ends after that.
    pieces.return(undefined).catch(() => {})
    // A reset: without one, a part of a file could be taken for the whole.
    if (result.how !== 'whole') socket.resetAndDestroy()
    return result
  }
}

async function pump(
  response: ServerResponse,
  pieces: AsyncGenerator<string>,
  ended: AbortSignal,
): Promise<void> {
  for (;;) {
    const startedAt = performance.now()
    const { done, value } = await pieces.next()
    ended.throwIfAborted()
    if (done) break
    const tookMs = performance.now() - startedAt
    if (!response.write(value)) await once(response, 'drain', { signal: ended })
    // Others have half of the time: a piece may take some milliseconds, and leads wait behind it.
    await sleep(tookMs)
  }
  response.end()
}
