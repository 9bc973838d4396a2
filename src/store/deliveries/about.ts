/** The column `about` of a delivery holds, as JSON, the facts of its notice that are not in the lead. It is empty if there are none. */

import { shownVisit } from '../../contract/receipt.ts'
import type { Lead } from '../leads/rows.ts'

/** A span of time. It begins at `from`, and ends just before `before`. */
export type Span = { from: number; before: number }

/** For `leads.today`: the time since the previous notice. For `leads.gathered`: the hour whose letters were left out. */
export const aboutSpan = asJson<Span>()

/** For `delivery.dead`: the channel whose deliveries were given up, and the time in which that happened. */
export const aboutDead = asJson<{ channel: string; span: Span }>()

/** For `disk.low`: when the low disk was seen, how much is free, and the machine. */
export const aboutDisk = asJson<{ at: number; freeMib: number; machine: string }>()

/** For `backup.late`: when the delay was seen, when the last backup was made (0: never), and the machine. */
export const aboutBackup = asJson<{ at: number; madeAt: number; machine: string }>()

export type ToldVisit = { at: number; place: string }

/** For `lead.visit`: the visit that the sender may see; `null` if there is none. */
export const aboutVisit = {
  read: asJson<ToldVisit | null>().read,
  write(lead: Lead): string {
    const at = shownVisit(lead)
    return JSON.stringify(at === undefined ? null : { at, place: lead.visitPlace ?? '' })
  },
}

function asJson<T>() {
  return {
    write: (facts: T): string => JSON.stringify(facts),
    read: (about: string): T => JSON.parse(about) as T,
  }
}
