/** One kept-open connection, one request at a time. A closed socket is replaced. */
import { connect } from 'node:net'
import type { Socket } from 'node:net'

export type Connection = {
  /** `bytes` must stay as they are until the answer. */
  ask(bytes: Buffer, answered: (status: number) => void, failed: (error: Error) => void): void
  close(): void
}

const mostSendings = 3

export function openConnection(port: number): Connection {
  let socket: Socket | undefined
  let received: Buffer | undefined
  let asked:
    | { bytes: Buffer; answered: (status: number) => void; failed: (error: Error) => void }
    | undefined
  let sendings = 0

  return {
    ask(bytes, answered, failed) {
      asked = { bytes, answered, failed }
      sendings = 0
      send()
    },
    close() {
      asked = undefined
      socket?.destroy()
    },
  }

  function send(): void {
    if (asked === undefined) return
    if ((sendings += 1) > mostSendings) {
      asked.failed(new Error('the server keeps closing the connection'))
      return
    }
    socket ??= open()
    socket.write(asked.bytes)
  }

  function open(): Socket {
    const fresh = connect({ host: '127.0.0.1', port, noDelay: true })
    fresh.on('data', take)
    // 'close' follows.
    fresh.on('error', () => {})
    fresh.on('close', () => {
      socket = undefined
      received = undefined
      send()
    })
    return fresh
  }

  function take(chunk: Buffer): void {
    received = received === undefined ? chunk : Buffer.concat([received, chunk])
    if (received.length < answerLength(received)) return
    const status = Number(received.toString('latin1', 9, 12))
    received = undefined
    const { answered } = asked!
    asked = undefined
    answered(status)
  }
}

const headEnd = Buffer.from('\r\n\r\n')
const lengthHeader = Buffer.from('\r\nContent-Length: ')

/** Infinite while the head is not here yet. */
function answerLength(bytes: Buffer): number {
  const end = bytes.indexOf(headEnd)
  if (end === -1) return Number.POSITIVE_INFINITY
  const at = bytes.indexOf(lengthHeader)
  const from = at + lengthHeader.length
  const body =
    at === -1 || at > end ? 0 : Number.parseInt(bytes.toString('latin1', from, from + 10), 10)
  return end + headEnd.length + body
}
