/** One HTTP request to a receiver, such as a webhook. No answer of it is followed or kept. */
import type { IncomingMessage } from 'node:http'
import type { Failure, Sent } from './channel.ts'

export type AnswerHead = { status: number; headers: IncomingMessage['headers'] }
export type NoAnswer = { failure: Failure }

export function toSent(received: AnswerHead | NoAnswer, nowMs: number): Sent {
  if ('failure' in received) return { kind: 'failed', outcome: received.failure, answer: '' }
  const { status, headers } = received
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
): Promise<AnswerHead | NoAnswer> {
  // An import of node:http loads `fetch`, too, and node:https is needed for the first request only.
  const { request } = url.startsWith('https:')
    ? process.getBuiltinModule('node:https')
    : process.getBuiltinModule('node:http')
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
