/**
 * Attackers in a process of their own: node test/support/flood.ts PORT CONNECTIONS KIND. Each
 * connection sends requests as fast as they are taken and reads nothing; one that is closed comes
 * again at once.
 */
import { connect } from 'node:net'

export const floods = {
  'without bodies': 'GET /contact/ HTTP/1.1\r\nHost: localhost\r\n\r\n',
  'with bodies': 'GET /contact/ HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\n\r\nx',
} as const

export type Flood = keyof typeof floods

if (import.meta.main) {
  const [port, connections, kind] = process.argv.slice(2)
  const requests = Buffer.from(floods[kind as Flood].repeat(1_000))
  for (let n = 0; n < Number(connections); n += 1) send(Number(port), requests)
}

function send(port: number, requests: Buffer): void {
  const socket = connect(port, '127.0.0.1')
  const fill = () => {
    while (socket.writable && socket.write(requests));
  }
  socket.pause()
  socket.on('connect', fill)
  socket.on('drain', fill)
  socket.on('error', () => {})
  socket.on('close', () => setImmediate(() => send(port, requests)))
}
