/** What the log line of a request says beside its status. */
import type { Answer } from '../http/message.ts'
import type { Outcome } from '../lead/take.ts'
import { errorFacts } from '../log.ts'

export function noteOf(outcome: Outcome): string {
  if (outcome.kind === 'accepted') return `,"outcome":"accepted","lead":"${outcome.id}"`
  if (outcome.kind === 'repeated') return `,"outcome":"repeated","lead":"${outcome.id}"`
  if (outcome.kind === 'unavailable') return `,"outcome":"unavailable","reason":"${outcome.reason}"`
  return `,"outcome":"${outcome.kind}"`
}

export function noteOfFault(error: unknown): string {
  return `,${JSON.stringify(errorFacts(error)).slice(1, -1)}`
}

export function withNote(answer: Answer, note: string): Answer {
  return { ...answer, note }
}
