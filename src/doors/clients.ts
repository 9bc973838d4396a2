/** Tells kinds of client apart: one that speaks JSON, one that reads Markdown, a script of another site. */
import { mediaType } from '../http/body.ts'
import type { Ask } from '../http/message.ts'
import { prefers } from '../http/negotiate.ts'

export function prefersJson(accept: string | undefined): boolean {
  return prefers(accept, 'application/json', 'text/html')
}

export function prefersMarkdown(accept: string | undefined): boolean {
  return prefers(accept, 'text/markdown', 'text/html')
}

/** The type of a body that the client sends counts as well as the types that it accepts. */
export function isJsonClient({ headers }: Ask): boolean {
  return mediaType(headers['content-type']) === 'application/json' || prefersJson(headers.accept)
}

/**
 * Whether a client gets the page, at an address that also has JSON. Browsers name HTML; many programs
 * accept anything, and can read only JSON.
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
