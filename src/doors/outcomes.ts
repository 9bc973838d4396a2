/** Turns the outcomes of taking a lead into answers that several doors share. */
import type { Problem } from '../contract/check-fields.ts'
import { errorEnvelope, errors, type ErrorCode } from '../contract/errors.ts'
import { postcodeField } from '../contract/fields.ts'
import { retryAfterS } from '../contract/limits.ts'
import { farNote, receivedMessage } from '../contract/receipt.ts'
import { routes } from '../contract/routes.ts'
import { wordsOf } from '../contract/wording.ts'
import {
  jsonAnswer,
  withHeaders,
  type Answer,
  type App,
  type Ask,
  type WholeAnswer,
} from '../http/message.ts'
import type { Limits, Quota } from '../lead/limits.ts'
import type { Outcome } from '../lead/take.ts'
import type { LogFacts } from '../log.ts'
import type { Site } from '../site/site.ts'
import { corsHeaders, wantsPage } from './clients.ts'
import type { LeadBody } from './lead/read-lead.ts'
import { sendAgainPage } from './lead/send-again.ts'

export type Taken = Extract<Outcome, { kind: 'accepted' | 'repeated' }>

export function isTaken(outcome: Outcome): outcome is Taken {
  return outcome.kind === 'accepted' || outcome.kind === 'repeated'
}

export function toSuccess({ reference, token, unlisted }: Taken, body: LeadBody, site: Site) {
  return {
    ok: true,
    message:
      wordsOf(site.business)(receivedMessage) + farNote(body[postcodeField.name], site.business),
    reference,
    status_url: `${site.baseUrl}${routes.receipt.path}${token}`,
    receipt_token: token,
    ...(unlisted.length > 0 && { unlisted }),
  }
}

export type Failure = { error: ErrorCode; problems: Problem[]; waitS?: number }

export function toFailure(outcome: Exclude<Outcome, Taken>): Failure {
  switch (outcome.kind) {
    case 'invalid':
      return { error: 'VALIDATION_ERROR', problems: outcome.problems }
    case 'key-reused':
      return { error: 'IDEMPOTENCY_KEY_REUSED', problems: [] }
    case 'withdrawn':
      return { error: 'REQUEST_WITHDRAWN', problems: [] }
    case 'limited':
      return { error: 'RATE_LIMITED', problems: [], waitS: outcome.waitS }
    case 'unavailable':
      return { error: 'STORAGE_UNAVAILABLE', problems: [], waitS: retryAfterS }
  }
}

export function outcomeFacts(outcome: Outcome): LogFacts {
  return {
    outcome: outcome.kind,
    ...('id' in outcome && { lead: outcome.id }),
    ...('reason' in outcome && { reason: outcome.reason }),
  }
}

export const limitedFacts: LogFacts = { outcome: 'limited' }

export function errorAnswer(code: ErrorCode, problems: readonly Problem[] = []): WholeAnswer {
  return jsonAnswer(errors[code].status, errorEnvelope(code, problems))
}

export function wrongMethod(ask: Ask, allow: string): Answer {
  return withHeaders(errorAnswer('METHOD_NOT_ALLOWED'), 'Allow', allow, ...corsHeaders(ask))
}

/** See draft-ietf-httpapi-ratelimit-headers. `undefined`: the client is never limited. */
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

type PostLimits = { limits: Limits; site: Site; now: () => number }

export function limitPosts(door: App, { limits, site, now }: PostLimits): App {
  return (ask) => {
    if (ask.method !== 'POST') return door(ask)
    const counted = limits.countRequest(ask.address, now())
    if (!counted.limited) return door(ask)
    const { resetS: waitS } = counted.quota
    const headers = quotaHeaders(counted.quota)
    if (wantsPage(ask))
      return sendAgainPage(site, { cause: 'RATE_LIMITED', body: {}, waitS, headers })
    const retry = ['Retry-After', String(waitS)]
    return withHeaders(errorAnswer('RATE_LIMITED'), ...retry, ...headers, ...corsHeaders(ask))
  }
}
