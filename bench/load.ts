/** The load generator: keep-alive connections with one request at a time on each. */
import { connect, type Socket } from 'node:net'
import { writeNumber, type Template } from './templates.ts'

export type Load = {
  template: Template
  /** At most this many requests. */
  count: number
  /** Ends the load early, once the open requests are answered. */
  signal?: AbortSignal
}

export type Sent = { wallMs: number; latenciesMs: number[] }

export class Client {
  readonly #connections: readonly Connection[]

  constructor(port: number, connections: number) {
    this.#connections = Array.from({ length: connections }, () => new Connection(port))
  }

  async send({ template, count, signal }: Load): Promise<Sent> {
    const latenciesMs: number[] = []
    let left = count
    const goesOn = () => left > 0 && signal?.aborted !== true
    const startedAt = performance.now()
    await Promise.all(
      this.#connections.map(async (connection) => {
        const bytes = Buffer.from(template.bytes)
        while (goesOn()) {
          left -= 1
          writeNumber(template, bytes)
          const askedAt = performance.now()
          const answer = await connection.ask(bytes)
          latenciesMs.push(performance.now() - askedAt)
          expectStatus(answer, template)
        }
      }),
    )
    return { wallMs: performance.now() - startedAt, latenciesMs }
  }

  /** Sends one request and returns the whole answer, whatever its status. */
  ask(template: Template): Promise<Buffer> {
    const bytes = Buffer.from(template.bytes)
    writeNumber(template, bytes)
    return this.#connections[0]!.ask(bytes)
  }

  close(): void {
    for (const connection of this.#connections) connection.close()
  }
}

const silenceMs = 60_000

/** Connects at the first request, and again after the server has closed an idle connection. */
class Connection {
  readonly #port: number
  #socket: Socket | undefined
  #received: Buffer | undefined
  #waiting: { resolve: (answer: Buffer) => void; reject: (error: Error) => void } | undefined

  constructor(port: number) {
    this.#port = port
  }

  /** `bytes` must not change before the answer. */
  ask(bytes: Buffer): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject }
      this.#socket ??= this.#open()
      this.#socket.write(bytes)
    })
  }

  close(): void {
    this.#socket?.destroy()
  }

  #open(): Socket {
    const socket = connect({ host: '127.0.0.1', port: this.#port, noDelay: true })
    let failure = new Error('the server closed the connection before its answer')
    socket.setTimeout(silenceMs, () => socket.destroy(new Error(`no answer in ${silenceMs} ms`)))
    socket.on('data', (chunk: Buffer) => this.#take(chunk))
    socket.on('error', (error) => (failure = error))
    socket.on('close', () => {
      this.#socket = undefined
      this.#received = undefined
      this.#waiting?.reject(failure)
    })
    return socket
  }

  #take(chunk: Buffer): void {
    const answer = this.#received === undefined ? chunk : Buffer.concat([this.#received, chunk])
    const isWhole = answer.length >= lengthOf(answer)
    this.#received = isWhole ? undefined : answer
    if (!isWhole) return
    const { resolve } = this.#waiting!
    this.#waiting = undefined
    resolve(answer)
  }
}

export function expectStatus(answer: Buffer, { status }: Template): void {
  if (Number(answer.toString('latin1', 9, 12)) === status) return
  throw new Error(`not the expected ${status}: ${answer.toString()}`)
}

const headEnd = Buffer.from('\r\n\r\n')
const lengthHeader = Buffer.from('\r\nContent-Length: ')

/** The length of the whole answer; Infinity until its head is complete. */
function lengthOf(answer: Buffer): number {
  const end = answer.indexOf(headEnd)
  if (end === -1) return Number.POSITIVE_INFINITY
  const at = answer.indexOf(lengthHeader)
  const from = at + lengthHeader.length
  const hasBody = at !== -1 && at < end
  const body = hasBody ? Number.parseInt(answer.toString('latin1', from, from + 10), 10) : 0
  return end + headEnd.length + body
}
