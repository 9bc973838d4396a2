/** Turns the outcomes of taking a lead into answers that several doors share. */
import type { Problem } from '../contract/check-fields.ts'
import { errorEnvelope, errors, type ErrorCode } from '../contract/errors.ts'
import { postcodeField } from '../contract/fields.ts'
import { retryAfterS } from '../contract/limits.ts'
import { farNote, receivedMessage } from '../contract/receipt.ts'
import { routes } from '../contract/routes.ts'
import { wordsOf } from '../contract/wording.ts'
import { jsonAnswer } from '../http/answers.ts'
import { withHeaders, type Answer, type App, type Ask, type WholeAnswer } from '../http/message.ts'
import type { Limits, Quota } from '../lead/limits.ts'
import type { Outcome } from '../lead/take.ts'
import type { LogFacts } from '../log.ts'
import type { Site } from '../site/site.ts'
import { corsHeaders, waitHeaders, wantsPage } from './clients.ts'
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

/** `waitS`: the client may send the same again after so many seconds. */
export type DoorError = { error: ErrorCode; problems?: readonly Problem[]; waitS?: number }

export function tooMany({ resetS }: Quota) {
  return { error: 'RATE_LIMITED', waitS: resetS } as const
}

export const unavailable = { error: 'STORAGE_UNAVAILABLE', waitS: retryAfterS } as const

export function toDoorError(outcome: Exclude<Outcome, Taken>): DoorError {
  switch (outcome.kind) {
    case 'invalid':
      return { error: 'VALIDATION_ERROR', problems: outcome.problems }
    case 'key-reused':
      return { error: 'IDEMPOTENCY_KEY_REUSED' }
    case 'withdrawn':
      return { error: 'REQUEST_WITHDRAWN' }
    case 'limited':
      return { error: 'RATE_LIMITED', waitS: outcome.waitS }
    case 'unavailable':
      return unavailable
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

/** The failure as a program reads it. Without `quota`, the answer says nothing about limits. */
export function failureAnswer(ask: Ask, failure: DoorError, quota?: Quota): WholeAnswer {
  const { error, problems, waitS } = failure
  return withHeaders(errorAnswer(error, problems), {
    ...(error === 'UNSUPPORTED_MEDIA_TYPE' && { 'Accept-Encoding': 'identity' }),
    ...waitHeaders(waitS, quota),
    ...corsHeaders(ask),
  })
}

export function wrongMethod(ask: Ask, allow: string): Answer {
  return withHeaders(failureAnswer(ask, { error: 'METHOD_NOT_ALLOWED' }), { Allow: allow })
}

type PostLimits = { limits: Limits; site: Site; now: () => number }

export function limitPosts(door: App, { limits, site, now }: PostLimits): App {
  return (ask) => {
    if (ask.method !== 'POST') return door(ask)
    const counted = limits.countRequest(ask.address, now())
    if (!counted.limited) return door(ask)
    const { quota } = counted
    const failure = tooMany(quota)
    return wantsPage(ask)
      ? sendAgainPage(site, failure, {}, quota)
      : failureAnswer(ask, failure, quota)
  }
}
