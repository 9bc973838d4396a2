/** A keep-alive connection with one request at a time. Reconnects when the server closes it. */
import { connect } from 'node:net'
import type { Socket } from 'node:net'

export type Connection = {
  /** `bytes` must not change before the answer. */
  ask(bytes: Buffer, answered: (status: number) => void, failed: (error: Error) => void): void
  close(): void
}

const maxTries = 3

export function openConnection(port: number): Connection {
  let socket: Socket | undefined
  let received: Buffer | undefined
  let asked:
    | { bytes: Buffer; answered: (status: number) => void; failed: (error: Error) => void }
    | undefined
  let tries = 0

  return {
    ask(bytes, answered, failed) {
      asked = { bytes, answered, failed }
      tries = 0
      send()
    },
    close() {
      asked = undefined
      socket?.destroy()
    },
  }

  function send(): void {
    if (asked === undefined) return
    if ((tries += 1) > maxTries) {
      asked.failed(new Error('the server keeps closing the connection'))
      return
    }
    socket ??= open()
    socket.write(asked.bytes)
  }

  function open(): Socket {
    const fresh = connect({ host: '127.0.0.1', port, noDelay: true })
    fresh.on('data', take)
    // 'close' follows and sends again.
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

/** Infinity until the head is complete. */
function answerLength(bytes: Buffer): number {
  const end = bytes.indexOf(headEnd)
  if (end === -1) return Number.POSITIVE_INFINITY
  const at = bytes.indexOf(lengthHeader)
  const from = at + lengthHeader.length
  const body =
    at === -1 || at > end ? 0 : Number.parseInt(bytes.toString('latin1', from, from + 10), 10)
  return end + headEnd.length + body
}
