/** Channel: signed events to a program of the owner's, by Standard Webhooks 1.0. */
import { createHmac } from 'node:crypto'
import { request as requestHttp } from 'node:http'
import type { IncomingMessage } from 'node:http'
import { request as requestHttps } from 'node:https'
import { isIP } from 'node:net'
import type { LookupFunction } from 'node:net'
import { webhookAnswerMs } from '../../contract/webhooks.ts'
import type { DeliveryChannel, Failure, Sent } from '../channel.ts'
import { toPayload } from './payload.ts'
import { isPublicAddress, publicLookup } from './public-address.ts'

export type WebhookSettings = {
  name: string
  url: string
  key: Buffer
  allowPrivate: boolean
  baseUrl: string
  now: () => number
  lookup?: LookupFunction
}

/** Only the status of an answer matters. Its body is read up to this, so that the connection ends cleanly. */
const mostAnswerBytes = 64 * 1024
const answerMs = 2_000

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

function post(
  { url, allowPrivate, lookup, now }: WebhookSettings,
  headers: Record<string, string>,
  body: string,
  signal: AbortSignal,
): Promise<Sent> {
  const target = new URL(url)
  const host = target.hostname.replaceAll(/^\[|\]$/g, '')
  // An IP address is never looked up, so the lookup cannot check it.
  if (!allowPrivate && isIP(host) !== 0 && !isPublicAddress(host)) {
    return Promise.resolve(failed('address-not-allowed'))
  }
  const guard = allowPrivate ? lookup : (lookup ?? publicLookup())
  return new Promise((resolve) => {
    const request = (target.protocol === 'https:' ? requestHttps : requestHttp)(target, {
      method: 'POST',
      // No kept connections: their address was checked at another time.
      agent: false,
      ...(guard && { lookup: guard }),
      signal,
      headers: {
        ...headers,
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
        'user-agent': 'lead-intake',
      },
    })
    request.on('response', (response) => {
      resolve(toSent(response, now()))
      letGo(response)
    })
    request.on('error', (error: NodeJS.ErrnoException) => resolve(failed(toOutcome(error))))
    request.end(body)
  })
}

/** Redirects are not followed: an endpoint must not choose where a lead goes. */
function toSent({ statusCode = 0, headers }: IncomingMessage, nowMs: number): Sent {
  const answer = String(statusCode)
  if (statusCode >= 200 && statusCode < 300) return { kind: 'delivered', answer }
  if (statusCode === 410) return { kind: 'refused', answer }
  const retryAfterMs = readRetryAfter(headers['retry-after'], nowMs)
  return {
    kind: 'failed',
    outcome: 'answered',
    answer,
    channelFault: !aboutThisOne.has(statusCode),
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

function letGo(response: IncomingMessage): void {
  let bytes = 0
  const impatience = setTimeout(() => response.destroy(), answerMs)
  response.on('close', () => clearTimeout(impatience))
  response.on('data', (chunk: Buffer) => {
    bytes += chunk.length
    if (bytes > mostAnswerBytes) response.destroy()
  })
  response.on('error', () => {})
}

function failed(outcome: Failure): Sent {
  return { kind: 'failed', outcome, answer: '', channelFault: true }
}

function toOutcome({ code = '', name }: NodeJS.ErrnoException): Failure {
  if (name === 'AbortError') return 'timed-out'
  if (/^(?:ERR_TLS|ERR_SSL|CERT|DEPTH_ZERO|UNABLE_TO|SELF_SIGNED)/.test(code)) return 'tls-failed'
  return outcomes[code] ?? 'connection-lost'
}

const outcomes: Record<string, Failure> = {
  EADDRNOTALLOWED: 'address-not-allowed',
  ECONNREFUSED: 'connection-refused',
  EHOSTUNREACH: 'connection-refused',
  ENETUNREACH: 'connection-refused',
  ENOTFOUND: 'unknown-host',
  EAI_AGAIN: 'unknown-host',
  ETIMEDOUT: 'timed-out',
}
