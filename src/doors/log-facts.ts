/** What the log line of a request says beside its status. */
import { type Answer } from '../http/message.ts'
import { type Outcome } from '../lead/take.ts'
import { type LogFacts } from '../log.ts'

export function outcomeFacts(outcome: Outcome): LogFacts {
  switch (outcome.kind) {
    case 'accepted':
    case 'repeated':
    case 'withdrawn':
      return { outcome: outcome.kind, lead: outcome.id }
    case 'unavailable':
      return { outcome: 'unavailable', reason: outcome.reason }
    case 'invalid':
    case 'key-reused':
    case 'limited':
      return { outcome: outcome.kind }
  }
}

/** Facts of a request past the hard limit, which is refused before it is taken. */
export const limitedFacts: LogFacts = { outcome: 'limited' }

export function withLogFacts(answer: Answer, logFacts: LogFacts): Answer {
  return { ...answer, logFacts }
}
