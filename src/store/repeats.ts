/**
 * The same content within a few minutes is the same lead. Where this process alone keeps leads, a
 * map of the latest does for that what an index would do at a page of disk for each lead.
 */
import { repeatWindowMs } from '../contract/limits.ts'
import { createRecent } from './recent.ts'

export type Earlier = {
  id: string
  at: number
  /** Settles with the commit of that lead, or when we stopped waiting for it. */
  keeping: Promise<unknown>
}

/** `sender`: who sent what, as `sameSender` writes it. */
export type Repeats = {
  /** The lead of the same content that was kept, or is just being kept, within the window. */
  find(sender: string, at: number): Readonly<Earlier> | undefined
  remember(sender: string, earlier: Earlier): void
}

/** A business that gets more in ten minutes will bear a double. More of them cost each lead more. */
export const mostRemembered = 1_000

export function createRepeats(): Repeats {
  const recent = createRecent<string, Earlier>(mostRemembered)
  return {
    find(sender, at) {
      const earlier = recent.get(sender)
      return earlier !== undefined && at < earlier.at + repeatWindowMs ? earlier : undefined
    },
    remember: (sender, earlier) => recent.set(sender, earlier),
  }
}
