/** What the log line of a request says beside its status. */
import type { Answer, LogFields } from '../http/message.ts'
import type { Outcome } from '../lead/take.ts'

export function outcomeFields(outcome: Outcome): LogFields {
  switch (outcome.kind) {
    case 'accepted':
    case 'repeated':
      return { outcome: outcome.kind, lead: outcome.id }
    case 'unavailable':
      return { outcome: outcome.kind, reason: outcome.reason }
    case 'invalid':
    case 'key-reused':
    case 'limited':
      return { outcome: outcome.kind }
  }
}

export function withLogFields(answer: Answer, logFields: LogFields): Answer {
  return { ...answer, logFields }
}
