/** What every door for leads makes of an outcome: an answer's facts, and what its log line says. */
import type { Problem } from '../contract/check-fields.ts'
import type { ErrorCode } from '../contract/errors.ts'
import { retryAfterS } from '../contract/limits.ts'
import { receivedMessage } from '../contract/receipt.ts'
import { routes } from '../contract/routes.ts'
import type { Answer } from '../http/message.ts'
import type { Outcome } from '../lead/take.ts'
import type { LogFacts } from '../log.ts'

export type Taken = Extract<Outcome, { kind: 'accepted' | 'repeated' }>

export function isTaken(outcome: Outcome): outcome is Taken {
  return outcome.kind === 'accepted' || outcome.kind === 'repeated'
}

/** LeadSuccess of the API description. `baseUrl`: without a slash at its end. */
export function toSuccess({ reference, token, unlisted }: Taken, baseUrl: string) {
  return {
    ok: true,
    message: receivedMessage,
    reference,
    status_url: `${baseUrl}${routes.receipt.path}${token}`,
    receipt_token: token,
    ...(unlisted.length > 0 && { unlisted }),
  }
}

/** `waitS`: seconds until the client may try again. */
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

/** Facts of a request past the hard limit, which is refused before it is taken. */
export const limitedFacts: LogFacts = { outcome: 'limited' }

export function withLogFacts(answer: Answer, logFacts: LogFacts): Answer {
  return { ...answer, logFacts }
}
