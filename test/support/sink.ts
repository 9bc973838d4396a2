/** A real HTTP server that takes webhooks, and fails in ways the tests choose. */
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Webhook } from 'standardwebhooks'
import type { Cleaner } from './service.ts'

export type Received = { headers: IncomingHttpHeaders; body: string }

export type WebhookMood = {
  status?: number
  headers?: Record<string, string>
  /** `late`: takes it, and never answers. */
  how?: 'hang' | 'drop' | 'late'
}

export type WebhookSink = {
  url: string
  /** What was taken, whether or not it was answered. */
  received: Received[]
  /** Requests, and connections, so far. */
  asked: number
  connections: number
  mood: WebhookMood
}

export const webhookSecret = `whsec_${Buffer.alloc(32, 9).toString('base64')}`

export async function openWebhookSink(t: Cleaner): Promise<WebhookSink> {
  const sink: WebhookSink = { url: '', received: [], asked: 0, connections: 0, mood: {} }
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    sink.asked += 1
    request.on('error', () => {})
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const { status = 204, headers = {}, how } = sink.mood
      if (how === 'drop') return request.socket.destroy()
      if (how === 'hang') return
      const body = Buffer.concat(chunks).toString()
      if (status < 300) sink.received.push({ headers: request.headers, body })
      if (how === 'late') return
      response.writeHead(status, headers).end()
    })
  })
  server.on('connection', () => (sink.connections += 1))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  sink.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/leads`
  t.after(() => {
    server.close()
    server.closeAllConnections()
  })
  return sink
}

/** By an independent verifier, at the time it was signed for; throws where the signature does not hold. */
export function verified({ headers, body }: Received): { id: string; type: string; data: unknown } {
  const names = ['webhook-id', 'webhook-timestamp', 'webhook-signature']
  const given = Object.fromEntries(names.map((name) => [name, String(headers[name])]))
  const { now } = Date
  Date.now = () => Number(given['webhook-timestamp']) * 1000
  try {
    return new Webhook(webhookSecret).verify(body, given) as ReturnType<typeof verified>
  } finally {
    Date.now = now
  }
}

/** Settings of a service with both channels. */
export function bothChannels(mail: { url: string }, hook: { url: string }): Record<string, string> {
  return { ...byMail(mail), ...byWebhook(hook) }
}

export function byMail({ url }: { url: string }): Record<string, string> {
  return { SMTP_URL: url, OWNER_EMAIL: 'owner@example.com' }
}

export function byWebhook({ url }: { url: string }): Record<string, string> {
  return { WEBHOOK_URL: url, WEBHOOK_SECRET: webhookSecret }
}
