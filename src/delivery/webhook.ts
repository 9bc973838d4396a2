/** The channel that posts signed events to a webhook. */
import { createHmac } from 'node:crypto'
import { request as requestHttp, type IncomingMessage } from 'node:http'
import { request as requestHttps } from 'node:https'
import { fields } from '../contract/fields.ts'
import { webhookAnswerMs } from '../contract/webhooks.ts'
import type { Lead } from '../store/leads/rows.ts'
import type { DeliveryChannel, Failure, Message, Sent } from './channel.ts'
import type { Notice, SomeLeads, TodaysWork } from './notice.ts'

export type WebhookParts = {
  name: string
  url: string
  key: Buffer
  baseUrl: string
  now: () => number
}

export class Webhook implements DeliveryChannel {
  readonly name: string
  readonly atOnce = 4
  readonly timeoutMs = webhookAnswerMs
  readonly #parts: WebhookParts

  constructor(parts: WebhookParts) {
    this.name = parts.name
    this.#parts = parts
  }

  async send({ id, at, notice }: Message, signal: AbortSignal): Promise<Sent> {
    if (notice.kind === 'leads.gathered' || notice.kind === 'lead.visit') {
      return { kind: 'dropped', answer: 'an email only' }
    }
    const { url, key, baseUrl, now } = this.#parts
    const data = dataOf(notice, baseUrl)
    // Every try has the same `id`, by which the receiver can recognise a repeat.
    const body = JSON.stringify({ id, type: notice.kind, created_at: time(at), data })
    const headers = {
      ...signedHeaders(id, now(), body, key),
      'content-type': 'application/json',
    }
    const answer = await requestOnce({ url, method: 'POST', headers, body }, signal)
    return 'failure' in answer
      ? { kind: 'failed', outcome: answer.failure, answer: '' }
      : toSent(answer, now())
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

export type AnswerHead = { status: number; headers: IncomingMessage['headers'] }

export function toSent({ status, headers }: AnswerHead, nowMs: number): Sent {
  const answer = String(status)
  if (status >= 200 && status < 300) return { kind: 'delivered', answer }
  if (status === 410) return { kind: 'refused', answer }
  const retryAfterMs = readRetryAfter(headers['retry-after'], nowMs)
  const failed = { kind: 'failed', outcome: 'answered', answer } as const
  return retryAfterMs === undefined ? failed : { ...failed, retryAfterMs }
}

/** Retry-After is seconds or a date (RFC 9110, 10.2.3). */
function readRetryAfter(text: string | undefined, nowMs: number): number | undefined {
  if (text === undefined) return undefined
  const ms = /^\d{1,9}$/.test(text) ? Number(text) * 1000 : Date.parse(text) - nowMs
  return Number.isNaN(ms) ? undefined : Math.max(0, ms)
}

type OneRequest = {
  url: string
  method: 'GET' | 'POST'
  headers?: Record<string, string>
  body?: string | Uint8Array
}

/** The body of an answer is read, up to these limits, only so that the connection ends cleanly. */
const mostAnswerBytes = 64 * 1024
const mostAnswerMs = 2_000

/** Redirects are not followed, because an endpoint must not choose where a request goes. */
export function requestOnce(
  { url, method, headers, body = '' }: OneRequest,
  signal: AbortSignal,
): Promise<AnswerHead | { failure: Failure }> {
  const request = url.startsWith('https:') ? requestHttps : requestHttp
  return new Promise((resolve) => {
    const asked = request(url, {
      method,
      // No connection is reused, because the server may close it just when the next event is sent.
      agent: false,
      signal,
      headers: { ...headers, 'user-agent': 'lead-intake' },
    })
    asked.on('response', (response) => {
      resolve({ status: response.statusCode ?? 0, headers: response.headers })
      letGo(response)
    })
    asked.on('error', (error: NodeJS.ErrnoException) => resolve({ failure: toFailure(error) }))
    asked.end(body)
  })
}

function letGo(response: IncomingMessage): void {
  let bytes = 0
  const impatience = setTimeout(() => response.destroy(), mostAnswerMs)
  response.on('close', () => clearTimeout(impatience))
  response.on('data', (chunk: Buffer) => {
    bytes += chunk.length
    if (bytes > mostAnswerBytes) response.destroy()
  })
  response.on('error', () => {})
}

function toFailure({ code = '', name }: NodeJS.ErrnoException): Failure {
  if (name === 'AbortError') return 'timed-out'
  if (/^(?:ERR_TLS|ERR_SSL|CERT|DEPTH_ZERO|UNABLE_TO|SELF_SIGNED)/.test(code)) return 'tls-failed'
  return failures[code] ?? 'connection-lost'
}

const failures: Record<string, Failure> = {
  ECONNREFUSED: 'connection-refused',
  EHOSTUNREACH: 'connection-refused',
  ENETUNREACH: 'connection-refused',
  ENOTFOUND: 'unknown-host',
  EAI_AGAIN: 'unknown-host',
  ETIMEDOUT: 'timed-out',
}

type PostedNotice = Exclude<Notice, { kind: 'leads.gathered' | 'lead.visit' }>

function dataOf(notice: PostedNotice, baseUrl: string): object {
  switch (notice.kind) {
    case 'leads.today':
      return {
        new: toList(withLatest(notice.work.fresh)),
        to_ring: toList(notice.work.rings),
        visits: toList(allVisits(notice.work)),
        undated: toList(notice.work.undated),
        held: {
          ...toList(notice.held),
          from: time(notice.span.from),
          until: time(notice.span.before),
        },
      }
    case 'delivery.dead':
      return { channel: notice.channel, ...toList(notice) }
    case 'disk.low':
      return { free_mib: notice.freeMib, machine: notice.machine }
    case 'backup.late':
      return {
        made_at: notice.madeAt === 0 ? null : time(notice.madeAt),
        machine: notice.machine,
      }
    case 'service.test':
      return { site: baseUrl }
    case 'lead.received':
    case 'lead.released':
    case 'lead.withdrawn':
    case 'lead.state_changed':
    case 'lead.asked':
      return { lead: toLeadData(notice.lead) }
  }
}

function toLeadData(lead: Lead): object {
  const present = lead.state === 'erased' ? [] : fields
  const values = present.map(({ name, key }) => [name, lead.values[key]])
  return {
    ...toSummary(lead),
    state_changed_at: time(lead.stateChangedAt),
    ...Object.fromEntries(values),
    unlisted: lead.unlisted === '' ? {} : (JSON.parse(lead.unlisted) as object),
    door: lead.door,
    agent: lead.agent,
  }
}

function withLatest({ leads, latest, total }: TodaysWork['fresh']): SomeLeads {
  return { leads: [...leads, ...latest], total }
}

/** All visits of the day, in the order of their dates. */
function allVisits({ visitsToClose, visits, visitsWhileClosed }: TodaysWork): SomeLeads {
  const parts = [visitsToClose, visits, visitsWhileClosed]
  return {
    leads: parts.flatMap(({ leads }) => leads),
    total: parts.reduce((sum, { total }) => sum + total, 0),
  }
}

function toList({ leads, total }: SomeLeads): object {
  return { count: total, leads: leads.map(toSummary) }
}

function toSummary({ id, reference, state, receivedAt }: Lead): object {
  return { id, reference, state, received_at: time(receivedAt) }
}

function time(ms: number): string {
  return new Date(ms).toISOString()
}
