/** What kind of client asks: one that speaks JSON, one that reads Markdown, a script of another site. */
import { mediaType } from '../http/body.ts'
import type { Ask } from '../http/message.ts'
import { prefers } from '../http/negotiate.ts'

export function prefersJson(accept: string | undefined): boolean {
  return prefers(accept, 'application/json', 'text/html')
}

export function prefersMarkdown(accept: string | undefined): boolean {
  return prefers(accept, 'text/markdown', 'text/html')
}

/** Of a client that sends something, the type of its body counts as well as what it accepts. */
export function isJsonClient({ headers }: Ask): boolean {
  return mediaType(headers['content-type']) === 'application/json' || prefersJson(headers.accept)
}

/**
 * Where a person's page and a program's JSON share an address, the page is for clients that name
 * HTML, as browsers do. Many programs accept anything, and can read only JSON.
 */
export function wantsPage({ headers }: Ask): boolean {
  const { accept, 'content-type': type } = headers
  if (mediaType(type) === 'application/json') return false
  return prefers(accept, 'text/html', 'application/json') && !prefersMarkdown(accept)
}

/** Scripts of other sites may send a lead and read the answer: there is no credential to protect. */
const readable = [
  'Access-Control-Allow-Origin',
  '*',
  'Access-Control-Expose-Headers',
  'Idempotent-Replayed, RateLimit, RateLimit-Policy, Retry-After, X-Request-Id',
]

/** Only for requests that name an origin: other clients do not read these headers. */
export function corsHeaders({ headers }: Ask): readonly string[] {
  return headers.origin === undefined ? [] : readable
}

export const preflightHeaders = [
  'Access-Control-Allow-Origin',
  '*',
  'Access-Control-Allow-Methods',
  'GET, HEAD, POST',
  'Access-Control-Allow-Headers',
  'Accept, Content-Type, Idempotency-Key',
  'Access-Control-Max-Age',
  '86400',
]
