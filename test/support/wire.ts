/** HTTP/1.1 over a plain socket: a test sees every byte, every reset, and what came before it. */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { until, patienceMs } from './until.ts'

export type WireAnswer = {
  status: number
  /** By lower-case name; of a repeated one, the last. */
  headers: Record<string, string>
  body: string
}

export type Wire = {
  socket: Socket
  /** Sends one request and reads its answer; rejects when the connection ends before that is whole. */
  ask(request: string | Buffer, options?: { bodiless?: boolean }): Promise<WireAnswer>
  /** False once either side has ended it. */
  isOpen(): boolean
  close(): void
}

export type WireOptions = { localAddress?: string }

type Waiting = {
  bodiless: boolean
  resolve: (answer: WireAnswer) => void
  reject: (error: Error) => void
}

export async function openWire(port: number, where: WireOptions = {}): Promise<Wire> {
  const socket = connect({ host: '127.0.0.1', port, noDelay: true, ...where })
  await once(socket, 'connect')
  let received: Buffer = Buffer.alloc(0)
  let waiting: Waiting | undefined
  let failure: Error | undefined
  socket.setTimeout(patienceMs, () => socket.destroy(new Error('it hangs')))
  socket.on('data', (chunk: Buffer) => {
    received = received.length === 0 ? chunk : Buffer.concat([received, chunk])
    deliver()
  })
  socket.on('error', (error) => (failure ??= error))
  socket.on('close', () => waiting?.reject(failure ?? new Error('closed before the answer')))

  return {
    socket,
    ask(request, { bodiless = false } = {}) {
      return new Promise((resolve, reject) => {
        waiting = { bodiless, resolve, reject }
        if (!socket.destroyed) socket.write(request)
        // A refusal may have come before the question was out.
        deliver()
        if (socket.destroyed) waiting?.reject(failure ?? new Error('closed before the question'))
      })
    },
    isOpen: () => !socket.destroyed && socket.readable && socket.writable,
    close: () => socket.destroy(),
  }

  function deliver(): void {
    if (waiting === undefined) return
    const read = readAnswer(received, waiting.bodiless)
    if (read === undefined) return
    received = received.subarray(read.length)
    const { resolve } = waiting
    waiting = undefined
    resolve(read.answer)
  }
}

/** `undefined`: not whole yet. An interim answer (1xx) is read over. */
function readAnswer(
  bytes: Buffer,
  bodiless: boolean,
): { answer: WireAnswer; length: number } | undefined {
  const headEnd = bytes.indexOf('\r\n\r\n')
  if (headEnd === -1) return undefined
  const [statusLine = '', ...lines] = bytes.toString('latin1', 0, headEnd).split('\r\n')
  const status = Number(statusLine.split(' ')[1])
  const start = headEnd + 4
  if (status < 200) {
    const after = readAnswer(bytes.subarray(start), bodiless)
    return after && { answer: after.answer, length: start + after.length }
  }
  const headers: Record<string, string> = {}
  for (const line of lines) {
    const colon = line.indexOf(':')
    headers[line.slice(0, colon).toLowerCase()] = line.slice(colon + 1).trim()
  }
  const length = start + (bodiless ? 0 : Number(headers['content-length'] ?? 0))
  if (bytes.length < length) return undefined
  return { answer: { status, headers, body: bytes.toString('utf8', start, length) }, length }
}

export async function askOnce(
  port: number,
  request: string | Buffer,
  options: WireOptions & { bodiless?: boolean } = {},
): Promise<WireAnswer> {
  const { bodiless = false, ...rest } = options
  const wire = await openWire(port, rest)
  try {
    return await wire.ask(request, { bodiless })
  } finally {
    wire.close()
  }
}

/** 503 with Retry-After. */
export function isUnavailable(answer: WireAnswer): boolean {
  return answer.status === 503 && Number(answer.headers['retry-after']) > 0
}

/**
 * Asks again while the service says that it is unavailable, as clients should: where the disk is
 * slow, it says so rightly.
 */
export async function askUntilServed(ask: () => Promise<WireAnswer>): Promise<WireAnswer> {
  let answer: WireAnswer | undefined
  await until(async () => !isUnavailable((answer = await ask())), 'the service is available')
  return answer!
}

export function getRequest(path: string, headers: Record<string, string> = {}): string {
  return `GET ${path} HTTP/1.1\r\nHost: localhost\r\n${headerLines(headers)}\r\n`
}

export function jsonRequest(lead: unknown, headers: Record<string, string> = {}): string {
  return postRequest(JSON.stringify(lead), { 'Content-Type': 'application/json', ...headers })
}

export function formRequest(
  fields: Record<string, string>,
  headers: Record<string, string> = {},
): string {
  return postRequest(new URLSearchParams(fields).toString(), {
    'Content-Type': 'application/x-www-form-urlencoded',
    Accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
    ...headers,
  })
}

export function postRequest(
  body: string,
  headers: Record<string, string>,
  path = '/api/lead',
): string {
  const length = Buffer.byteLength(body)
  return `POST ${path} HTTP/1.1\r\nHost: localhost\r\n${headerLines(headers)}Content-Length: ${length}\r\n\r\n${body}`
}

function headerLines(headers: Record<string, string>): string {
  return Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('')
}
