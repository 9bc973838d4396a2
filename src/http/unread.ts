/** Sheds clients that ask and do not read: their answers would stay in memory for ever. A reset frees those in the system, too. */
import type { Server, Socket } from 'node:net'

/** node's own: what the system has not taken of the write in progress. */
type WithQueue = Socket & { _handle?: { writeQueueSize?: number } | null }

/** Counted, not timed: a client is not blamed for the time in which this process stood still. */
const mostSweeps = 10

/** Looks at all connections together: a timer for each would cost something in every request. */
export function shedNonReaders(server: Server, longestMs: number): void {
  const open = new Set<Socket>()
  const waiting = new Map<Socket, { taken: number; sweeps: number }>()
  server.on('connection', (socket: Socket) => {
    open.add(socket)
    socket.once('close', () => {
      open.delete(socket)
      waiting.delete(socket)
    })
  })
  const sweeping = setInterval(sweep, longestMs / mostSweeps).unref()
  server.once('close', () => clearInterval(sweeping))

  function sweep(): void {
    for (const socket of open) {
      if (socket.writableLength === 0) {
        waiting.delete(socket)
        continue
      }
      const taken = takenBytes(socket)
      const before = waiting.get(socket)
      if (before?.taken !== taken) waiting.set(socket, { taken, sweeps: 0 })
      else if ((before.sweeps += 1) >= mostSweeps) socket.resetAndDestroy()
    }
  }
}

/** Grows by every byte that the system takes for the client. */
function takenBytes({ bytesWritten, writableLength, _handle }: WithQueue): number {
  return bytesWritten - writableLength - (_handle?.writeQueueSize ?? 0)
}
