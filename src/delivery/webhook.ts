/** The channel that posts signed events to a webhook. */
import { createHmac } from 'node:crypto'
import type { ChannelName } from '../contract/notices.ts'
import { receiverAnswerMs } from '../contract/webhooks.ts'
import { notForReader, type DeliveryChannel, type Message, type Sent } from './channel.ts'
import { toIso } from './event-data.ts'
import { dataFor } from './notices.ts'
import { requestOnce, toSent } from './request.ts'

export type WebhookParts = {
  name: ChannelName
  url: string
  key: Buffer
  baseUrl: string
  now: () => number
}

export class Webhook implements DeliveryChannel {
  readonly name: ChannelName
  readonly atOnce = 4
  readonly timeoutMs = receiverAnswerMs
  readonly #parts: WebhookParts

  constructor(parts: WebhookParts) {
    this.name = parts.name
    this.#parts = parts
  }

  async send({ id, at, notice }: Message, signal: AbortSignal): Promise<Sent> {
    const { url, key, baseUrl, now } = this.#parts
    const data = dataFor(notice, baseUrl)
    if (data === undefined) return notForReader
    // Every try has the same `id`, by which the receiver can recognise a repeat.
    const body = JSON.stringify({ id, type: notice.kind, created_at: toIso(at), data })
    const headers = {
      ...signedHeaders(id, now(), body, key),
      'content-type': 'application/json',
    }
    const answer = await requestOnce({ url, method: 'POST', headers, body }, signal)
    return toSent(answer, now())
  }
}

/** The time is signed, so that a receiver can refuse an old request that a stranger sends again. */
function signedHeaders(
  id: string,
  nowMs: number,
  body: string,
  key: Buffer,
): Record<string, string> {
  const timestamp = String(Math.floor(nowMs / 1000))
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,${signature}`,
  }
}
