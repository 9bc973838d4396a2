/**
 * Attackers in a process of their own, which ends by itself: `startFlood` says what they do. A
 * connection that is closed is opened again at once.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { fileURLToPath } from 'node:url'
import { jsonRequest } from './wire.ts'

const get = 'GET /contact/ HTTP/1.1\r\nHost: localhost\r\n\r\n'
const getWithBody = 'GET /contact/ HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\n\r\nx'

/** Send requests as fast as they are taken, and read nothing. */
export const fills = { 'without bodies': get, 'with bodies': getWithBody } as const

/** Send these at once, then close, or reset, the connection. */
const parting = {
  'and leave': () => get.repeat(16),
  'and reset': () =>
    jsonRequest(
      { name_1: 'Kim', email_1: `kim-${(sent += 1)}@example.com` },
      { 'X-Forwarded-For': `203.0.113.${sent % 256}` },
    ),
} as const

export type Fill = keyof typeof fills

/** `and read` takes its sixteen answers, and asks again; `in chunks` sends a body in chunks of one byte. */
type Kind = Fill | keyof typeof parting | 'and read' | 'in chunks'

const chunks =
  'POST /api/lead HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n' +
  `Transfer-Encoding: chunked\r\n\r\n${'1\r\nx\r\n'.repeat(10_600)}0\r\n\r\n`

export type Flood = {
  port: number
  kind: Kind
  /** Of each address, at a time. */
  connections: number
  addresses?: readonly string[]
  isTls?: boolean
  longestMs?: number
}

export type RunningFlood = { stop(): Promise<{ opened: number }> }

/** Each attacker counts the connections that it opened. */
let sent = 0
let opened = 0

export function startFlood(flood: Flood): RunningFlood {
  const script = fileURLToPath(import.meta.url)
  const child = spawn(process.execPath, [script, JSON.stringify(flood)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let words = ''
  child.stdout.on('data', (chunk: Buffer) => (words += chunk.toString()))
  const closed = once(child, 'close')
  return {
    async stop() {
      // Before its first connection it has nothing to say.
      child.kill('SIGTERM')
      await closed
      return { opened: Number(words) }
    },
  }
}

if (import.meta.main) {
  const flood = JSON.parse(process.argv[2]!) as Flood
  const { connections, addresses = ['127.0.0.1'], longestMs = 120_000 } = flood
  const end = () => process.stdout.write(String(opened), () => process.exit())
  process.once('SIGTERM', end)
  setTimeout(end, longestMs)
  for (const address of addresses) {
    for (let n = 0; n < connections; n += 1) open(flood, address)
  }
}

function open(flood: Flood, localAddress: string): void {
  const to = { host: '127.0.0.1', port: flood.port, localAddress }
  const socket = flood.isTls ? connectTls({ ...to, rejectUnauthorized: false }) : connect(to)
  socket.once(flood.isTls ? 'secureConnect' : 'connect', () => {
    opened += 1
    attack(socket, flood.kind)
  })
  socket.on('error', () => {})
  socket.on('close', () => setImmediate(() => open(flood, localAddress)))
}

function attack(socket: Socket, kind: Kind): void {
  if (kind === 'and read') {
    askAndRead(socket)
  } else if (kind === 'in chunks') {
    socket.write(chunks)
    socket.once('data', () => socket.destroy())
  } else if (kind in parting) {
    const leave = () => (kind === 'and reset' ? socket.resetAndDestroy() : socket.destroy())
    socket.write(parting[kind as keyof typeof parting](), leave)
  } else {
    const requests = Buffer.from(fills[kind as Fill].repeat(1_000))
    const fill = () => {
      while (socket.writable && socket.write(requests));
    }
    socket.pause()
    socket.on('drain', fill)
    fill()
  }
}

function askAndRead(socket: Socket): void {
  let answers = 0
  socket.on('data', (chunk: Buffer) => {
    answers += chunk.toString('latin1').split('HTTP/1.1 ').length - 1
    if (answers < 16) return
    answers = 0
    socket.write(get.repeat(16))
  })
  socket.write(get.repeat(16))
}
