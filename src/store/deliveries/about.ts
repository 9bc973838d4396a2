/** The column `about` of a delivery holds, as JSON, the facts of its notice that are not in the lead. */

import type { RetainedCounts } from '../../contract/states.ts'
import type { NamedVisit } from '../../contract/visit.ts'

export type Span = { from: number; before: number }

/** The span that a summary covers, for example the hour in which leads above the limit got no email of their own. */
export const aboutSpan = asJson<Span>()

/**
 * `leaving`: the leads that retention erases within a week; left out where it is off. `erasesFrom`: it
 * only counts now, and erases them from this time on.
 */
export type AboutToday = Span & {
  leaving?: RetainedCounts | undefined
  erasesFrom?: number | undefined
}

export const aboutToday = asJson<AboutToday>()

export const aboutDead = asJson<{ channel: string; span: Span }>()

export const aboutDisk = asJson<{ at: number; freeMib: number; machine: string }>()

/** `madeAt` is 0 if no backup was made yet. */
export const aboutBackup = asJson<{ at: number; madeAt: number; machine: string }>()

/** The number of the event by which the customer asked for another time, and of the note with the words. */
export const aboutAsking = asJson<{ number: number }>()

/** The id of the request that a withdrawn one was joined with, which stays. */
export const aboutJoined = asJson<{ first: string }>()

export type AboutVisit = {
  /** `undefined` if it is called off. */
  visit: NamedVisit | undefined
  /** When the customer asked for another time, if the email answers that. */
  answers?: number | undefined
}

export const aboutVisit = {
  write: ({ visit, answers }: AboutVisit): string =>
    JSON.stringify({ visit: visit ? { at: visit.at, place: visit.place } : null, answers }),
  read(about: string): AboutVisit {
    const { visit, answers } = JSON.parse(about) as { visit: NamedVisit | null; answers?: number }
    return { visit: visit ?? undefined, answers }
  },
}

function asJson<T>() {
  return {
    write: (facts: T): string => JSON.stringify(facts),
    read: (about: string): T => JSON.parse(about) as T,
  }
}
