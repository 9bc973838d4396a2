/** Sends load over keep-alive connections, one request at a time on each, and checks every status. */
import { openConnection } from './connection.ts'
import type { Connection } from './connection.ts'
import { number } from './requests.ts'
import type { Template } from './requests.ts'

export type Load = {
  template: Template
  /** Expected of every answer. */
  status: number
  /** At most this many requests. */
  count: number
  /** Ends early, when the open requests are answered. */
  signal?: AbortSignal
}

export type Sent = { wallMs: number; latenciesMs: Float64Array }

export type Client = { send(load: Load): Promise<Sent>; close(): void }

const deadlineMs = 60_000

export function openClient(port: number, connectionCount: number): Client {
  const connections = Array.from({ length: connectionCount }, () => openConnection(port))
  return {
    send: (load) => sendAll(connections, load),
    close: () => connections.forEach((connection) => connection.close()),
  }
}

function sendAll(connections: readonly Connection[], load: Load): Promise<Sent> {
  const { template, status, count, signal } = load
  const latenciesMs = new Float64Array(count)
  let sent = 0
  let answered = 0
  return new Promise((resolve, reject) => {
    const startedAt = performance.now()
    const deadline = setTimeout(
      () => reject(new Error(`${answered} of ${count} answers in ${deadlineMs} ms`)),
      deadlineMs,
    )
    // Each connection has its own copy, which is changed only after an answer.
    for (const connection of connections) sendNext(connection, Buffer.from(template.bytes))

    function sendNext(connection: Connection, bytes: Buffer): void {
      if (sent === count || signal?.aborted) return
      sent += 1
      number(template, bytes)
      const askedAt = performance.now()
      connection.ask(
        bytes,
        (got) => {
          latenciesMs[answered] = performance.now() - askedAt
          answered += 1
          if (got !== status) fail(new Error(`answered ${got}, not ${status}`))
          else if (answered === count || (signal?.aborted && answered === sent)) end()
          else sendNext(connection, bytes)
        },
        fail,
      )
    }

    function end(): void {
      clearTimeout(deadline)
      const wallMs = performance.now() - startedAt
      resolve({ wallMs, latenciesMs: latenciesMs.subarray(0, answered) })
    }

    function fail(error: Error): void {
      clearTimeout(deadline)
      reject(error)
    }
  })
}
