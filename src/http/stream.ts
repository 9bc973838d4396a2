/**
 * Sends an answer whose body is made while it is sent. A piece is asked for once the client has taken
 * the one before: a slow reader holds no memory. See docs/decisions/0038-streams.md.
 */
import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { StreamedAnswer } from './message.ts'

/** `gone`: the client closed the connection, or was shed. */
export type StreamEnd = 'whole' | 'gone' | 'stopped' | 'failed'

export type Streams = {
  /** The head is written already. Calls `onEnd` once; `error` says why it failed. */
  send(
    response: ServerResponse,
    source: StreamedAnswer['body'],
    onEnd: (end: StreamEnd, error?: unknown) => void,
  ): void
  /** Ends all streams now, and those that come later at once. */
  stop(): void
}

export function createStreams(): Streams {
  const open = new Set<(end: StreamEnd) => void>()
  let isStopped = false
  return {
    send,
    stop() {
      isStopped = true
      for (const end of open) end('stopped')
    },
  }

  function send(...[response, source, onEnd]: Parameters<Streams['send']>): void {
    if (response.req.method === 'HEAD') {
      response.end()
      onEnd('whole')
      return
    }
    const { socket } = response.req
    const ending = new AbortController()
    const pieces = source(ending.signal)
    const gone = () => end('gone')
    open.add(end)
    socket.once('close', gone)
    if (isStopped || socket.destroyed) end(isStopped ? 'stopped' : 'gone')
    else {
      pump(response, pieces, ending.signal).then(
        () => end('whole'),
        (error: unknown) => end('failed', error),
      )
    }

    function end(how: StreamEnd, error?: unknown): void {
      if (!open.delete(end)) return
      socket.off('close', gone)
      ending.abort()
      // It may be in the middle of a piece; it ends after that.
      pieces.return(undefined).catch(() => {})
      // A reset: without one, a part of a file could be taken for the whole.
      if (how !== 'whole') socket.resetAndDestroy()
      onEnd(how, error)
    }
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
