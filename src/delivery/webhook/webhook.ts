/** Channel: signed events to a program of the owner's, by Standard Webhooks 1.0. */
import { createHmac } from 'node:crypto'
import type { LookupFunction } from 'node:net'
import { webhookAnswerMs } from '../../contract/webhooks.ts'
import type { DeliveryChannel, Sent } from '../channel.ts'
import { requestGuarded } from './guarded-request.ts'
import type { GuardedAnswer } from './guarded-request.ts'
import { toPayload } from './payload.ts'

export type WebhookSettings = {
  name: string
  url: string
  key: Buffer
  allowPrivate: boolean
  baseUrl: string
  now: () => number
  lookup?: LookupFunction
}

type GuardedHead = Exclude<GuardedAnswer, { failure: unknown }>

export function createWebhook(settings: WebhookSettings): DeliveryChannel {
  const { name, key, baseUrl, now } = settings
  return {
    name,
    atOnce: 4,
    timeoutMs: webhookAnswerMs,
    async send({ notice, ...message }, signal) {
      if (notice.kind === 'leads.gathered') return { kind: 'dropped', answer: 'a letter only' }
      const body = JSON.stringify(toPayload({ ...message, notice }, baseUrl))
      return post(settings, signedHeaders(message.id, now(), body, key), body, signal)
    },
    close() {},
  }
}

/** Signs the time of this try, so that an old one cannot be replayed. */
export function signedHeaders(
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

async function post(
  { url, allowPrivate, lookup, now }: WebhookSettings,
  signed: Record<string, string>,
  body: string,
  signal: AbortSignal,
): Promise<Sent> {
  const headers = {
    ...signed,
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(body)),
  }
  const answer = await requestGuarded({ url, allowPrivate, lookup, body, headers }, signal)
  return 'failure' in answer
    ? { kind: 'failed', outcome: answer.failure, answer: '', channelFault: true }
    : toSent(answer, now())
}

function toSent({ status, headers }: GuardedHead, nowMs: number): Sent {
  const answer = String(status)
  if (status >= 200 && status < 300) return { kind: 'delivered', answer }
  if (status === 410) return { kind: 'refused', answer }
  const retryAfterMs = readRetryAfter(headers['retry-after'], nowMs)
  return {
    kind: 'failed',
    outcome: 'answered',
    answer,
    channelFault: !aboutThisOne.has(status),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  }
}

/** The endpoint works, and refuses this one event. */
const aboutThisOne = new Set([400, 409, 413, 415, 422])

/** RFC 9110, 10.2.3: seconds or a date. */
function readRetryAfter(text: string | undefined, nowMs: number): number | undefined {
  if (text === undefined) return undefined
  const ms = /^\d{1,9}$/.test(text) ? Number(text) * 1000 : Date.parse(text) - nowMs
  return Number.isNaN(ms) ? undefined : Math.max(0, ms)
}
