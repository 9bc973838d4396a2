/** What a client prefers (JSON, Markdown or a page), and the headers for it: CORS, and how long it has to wait. */
import { mediaType } from '../http/body.ts'
import type { Ask, Headers } from '../http/message.ts'
import { retryAfter } from '../http/answers.ts'
import { prefers } from '../http/negotiate.ts'
import type { Quota } from '../lead/limits.ts'

export function prefersJson(accept: string | undefined): boolean {
  return prefers(accept, 'application/json', 'text/html')
}

export function prefersMarkdown(accept: string | undefined): boolean {
  return prefers(accept, 'text/markdown', 'text/html')
}

export function isJsonClient({ headers }: Ask): boolean {
  return mediaType(headers['content-type']) === 'application/json' || prefersJson(headers.accept)
}

/** A bare wildcard gets JSON, because it mostly comes from a program that reads only JSON. */
export function wantsPage({ headers }: Ask): boolean {
  const { accept, 'content-type': type } = headers
  if (mediaType(type) === 'application/json') return false
  return prefers(accept, 'text/html', 'application/json') && !prefersMarkdown(accept)
}

/** Scripts of any site may read the answer, because no cookies or other credentials are used. */
const readable: Headers = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers':
    'Idempotent-Replayed, RateLimit, RateLimit-Policy, Retry-After, X-Request-Id',
}

export function corsHeaders({ headers }: Ask): Headers {
  return headers.origin === undefined ? {} : readable
}

export const preflightHeaders: Headers = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Allow-Methods': 'GET, HEAD, POST',
  'Access-Control-Allow-Headers': 'Accept, Content-Type, Idempotency-Key',
  'Access-Control-Max-Age': '86400',
}

/** See draft-ietf-httpapi-ratelimit-headers. `undefined`: the client is never limited. */
export function quotaHeaders(quota: Quota | undefined): Headers {
  if (quota === undefined) return {}
  const { limit, windowS, remaining, resetS } = quota
  return {
    'RateLimit-Policy': `"leads";q=${limit};w=${windowS}`,
    RateLimit: `"leads";r=${remaining};t=${resetS}`,
  }
}

/** For an answer that refuses: `waitS` is left out if waiting would not help. */
export function waitHeaders(waitS: number | undefined, quota: Quota | undefined): Headers {
  return { ...(waitS !== undefined && retryAfter(waitS)), ...quotaHeaders(quota) }
}
