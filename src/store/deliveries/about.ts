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

export type AboutVisit = {
  /** `undefined` if it is called off. */
  visit: NamedVisit | undefined
  /** When the customer asked for another time, if the email answers that. */
  answers?: number | undefined
  /**
   * Once the email is sent: the key of its address, and the visit that it replaced, kept or called
   * off; `null` if it named none. Emails of earlier versions may lack both. The visit may be of
   * another request, so its place is left out: it would outlive the erasing of that request.
   */
  to?: string | undefined
  before?: { leadId: string; at: number } | null
}

export const aboutVisit = {
  write: ({ visit, ...rest }: AboutVisit): string =>
    JSON.stringify({ visit: visit ? { at: visit.at, place: visit.place } : null, ...rest }),
  read(about: string): AboutVisit {
    const facts = JSON.parse(about) as { visit: NamedVisit | null } | OldAboutVisit
    if (facts !== null && 'visit' in facts) return { ...facts, visit: facts.visit ?? undefined }
    const { at, place, ...rest } = facts ?? {}
    return { visit: at === undefined ? undefined : { at, place: place! }, ...rest }
  },
}

/** Deliveries that were written before `visit` stood by itself. */
type OldAboutVisit = (NamedVisit & { to?: string; answers?: number }) | null

function asJson<T>() {
  return {
    write: (facts: T): string => JSON.stringify(facts),
    read: (about: string): T => JSON.parse(about) as T,
  }
}
