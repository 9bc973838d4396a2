/** Scripts on other sites may send a lead and read the answer. There is no cookie or credential to protect. */
import type { Ask } from '../http/message.ts'

const readable = [
  'Access-Control-Allow-Origin',
  '*',
  'Access-Control-Expose-Headers',
  'Idempotent-Replayed, RateLimit, RateLimit-Policy, Retry-After, X-Request-Id',
]

/** Only where the request names an origin: others do not pay for headers they do not read. */
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
