/** An error of the contract as an answer. The plain ones are made once. */
import { errorEnvelope, errors } from '../contract/errors.ts'
import type { ErrorCode } from '../contract/errors.ts'
import type { Problem } from '../contract/check-fields.ts'
import { retryAfterS } from '../contract/limits.ts'
import { jsonAnswer, withHeaders } from '../http/answer.ts'
import { corsHeaders } from './clients.ts'
import type { Answer, Ask } from '../http/message.ts'

export function errorAnswer(code: ErrorCode, problems: readonly Problem[] = []): Answer {
  return jsonAnswer(errors[code].status, errorEnvelope(code, problems))
}

/** `allow`: the methods that the path answers. */
export function wrongMethod(ask: Ask, allow: string): Answer {
  return withHeaders(errorAnswer('METHOD_NOT_ALLOWED'), 'Allow', allow, ...corsHeaders(ask))
}

/** Nothing can be kept or read just now. */
export function unavailable(): Answer {
  return withHeaders(errorAnswer('STORAGE_UNAVAILABLE'), 'Retry-After', String(retryAfterS))
}
