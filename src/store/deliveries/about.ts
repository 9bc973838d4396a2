/**
 * The column `about` of a delivery: what a notice tells of besides its lead, as JSON. It is empty where a
 * notice needs nothing more.
 */

/** A span of time; `before` is not part of it. */
export type Span = { from: number; before: number }

/** `leads.today`: the time since the one before. `leads.gathered`: the time it covers. */
export const aboutSpan = asJson<Span>()

/** `delivery.dead`: the channel, and the time in which its deliveries died. */
export const aboutDead = asJson<{ channel: string; span: Span }>()

/** `disk.low`: when it was seen, what is free, and on which machine. */
export const aboutDisk = asJson<{ at: number; freeMib: number; machine: string }>()

/** `backup.late`: when it was seen, when the last one was made (0: never), and on which machine. */
export const aboutBackup = asJson<{ at: number; madeAt: number; machine: string }>()

function asJson<T>() {
  return {
    write: (facts: T): string => JSON.stringify(facts),
    read: (about: string): T => JSON.parse(about) as T,
  }
}
