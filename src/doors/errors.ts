/** The errors of the contract as answers. */
import { errorEnvelope, errors, type ErrorCode } from '../contract/errors.ts'
import type { Problem } from '../contract/check-fields.ts'
import { retryAfterS } from '../contract/limits.ts'
import {
  jsonAnswer,
  withHeaders,
  type Answer,
  type Ask,
  type WholeAnswer,
} from '../http/message.ts'
import { corsHeaders } from './clients.ts'
import type { Quota } from '../lead/limits.ts'

export function errorAnswer(code: ErrorCode, problems: readonly Problem[] = []): WholeAnswer {
  return jsonAnswer(errors[code].status, errorEnvelope(code, problems))
}

/** `allow`: the methods that the path answers. */
export function wrongMethod(ask: Ask, allow: string): Answer {
  return withHeaders(errorAnswer('METHOD_NOT_ALLOWED'), 'Allow', allow, ...corsHeaders(ask))
}

/** The store can neither be written nor read. */
export function unavailable(): Answer {
  return withHeaders(errorAnswer('STORAGE_UNAVAILABLE'), 'Retry-After', String(retryAfterS))
}

/** For clients that speak JSON. */
export function tooMany(ask: Ask, waitS: number, quota: Quota | undefined): Answer {
  const retry = ['Retry-After', String(waitS)]
  return withHeaders(
    errorAnswer('RATE_LIMITED'),
    ...retry,
    ...quotaHeaders(quota),
    ...corsHeaders(ask),
  )
}

/** draft-ietf-httpapi-ratelimit-headers. None for clients that are never limited. */
export function quotaHeaders(quota: Quota | undefined): string[] {
  if (quota === undefined) return []
  const { limit, windowS, remaining, resetS } = quota
  return [
    'RateLimit-Policy',
    `"leads";q=${limit};w=${windowS}`,
    'RateLimit',
    `"leads";r=${remaining};t=${resetS}`,
  ]
}
