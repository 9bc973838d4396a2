/** The errors of the contract as answers, and the limit on POSTs. */
import type { Problem } from '../contract/check-fields.ts'
import { errorEnvelope, errors, type ErrorCode } from '../contract/errors.ts'
import {
  jsonAnswer,
  withHeaders,
  type Answer,
  type App,
  type Ask,
  type WholeAnswer,
} from '../http/message.ts'
import type { Route } from '../http/router.ts'
import type { Limits, Quota } from '../lead/limits.ts'
import { corsHeaders, wantsPage } from './clients.ts'
import type { SendAgainPage } from './lead/send-again.ts'

export function errorAnswer(code: ErrorCode, problems: readonly Problem[] = []): WholeAnswer {
  return jsonAnswer(errors[code].status, errorEnvelope(code, problems))
}

/** `allow`: the methods that the path answers. */
export function wrongMethod(ask: Ask, allow: string): Answer {
  return withHeaders(errorAnswer('METHOD_NOT_ALLOWED'), 'Allow', allow, ...corsHeaders(ask))
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

type PostLimits = {
  limits: Limits
  sendAgain: SendAgainPage
  now: () => number
}

/** Counts the POSTs of a route. Past the hard limit they are answered with 429. */
export function limitPosts(route: Route, parts: PostLimits): Route {
  const { limits, sendAgain, now } = parts
  const { POST: post } = route.doors
  if (post === undefined) return route
  const limited: App = (ask) => {
    const counted = limits.countRequest(ask.address, now())
    if (!counted.limited) return post(ask)
    const { quota } = counted
    const told = quotaHeaders(quota)
    if (wantsPage(ask)) return sendAgain.answer('RATE_LIMITED', {}, quota.resetS, told)
    const retry = ['Retry-After', String(quota.resetS)]
    return withHeaders(errorAnswer('RATE_LIMITED'), ...retry, ...told, ...corsHeaders(ask))
  }
  return { ...route, doors: { ...route.doors, POST: limited } }
}
