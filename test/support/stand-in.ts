/** A site that misbehaves as the test wants, and remembers what it was asked. */
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import type { Cleaner } from './cleaner.ts'

export type Heard = {
  method: string
  path: string
  headers: IncomingHttpHeaders
  body: string
}

export type StandIn = { url: string; heard: Heard[] }

/** `reply` is told how many requests came before this one. */
export async function startStandIn(
  t: Cleaner,
  reply: (response: ServerResponse, heard: Heard, before: number) => unknown,
): Promise<StandIn> {
  const heard: Heard[] = []
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      const { method = '', url: path = '', headers } = request
      const one = { method, path, headers, body }
      heard.push(one)
      return reply(response, one, heard.length - 1)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => {
    server.close()
    server.closeAllConnections()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, heard }
}

export function answerJson(
  response: ServerResponse,
  status: number,
  value: unknown,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers })
  response.end(JSON.stringify(value))
}
