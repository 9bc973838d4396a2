/** What the log line of a request says beside its status: JSON members, each after a comma. */
import type { Answer } from '../http/message.ts'
import type { Outcome } from '../lead/take.ts'
import { errorFacts } from '../log.ts'

/** A template, not JSON.stringify: it runs for every lead, and no value needs escaping. */
export function outcomeFields(outcome: Outcome): string {
  switch (outcome.kind) {
    case 'accepted':
    case 'repeated':
    case 'withdrawn':
      return `,"outcome":"${outcome.kind}","lead":"${outcome.id}"`
    case 'unavailable':
      return `,"outcome":"unavailable","reason":"${outcome.reason}"`
    case 'invalid':
    case 'key-reused':
    case 'limited':
      return `,"outcome":"${outcome.kind}"`
  }
}

/** Of a request past the hard limit, which is refused before it is taken. */
export const limitedFields = ',"outcome":"limited"'

export function errorFields(error: unknown): string {
  return `,${JSON.stringify(errorFacts(error)).slice(1, -1)}`
}

export function withLogFields(answer: Answer, logFields: string): Answer {
  return { ...answer, logFields }
}
