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

export type Repeats = {
  /** The lead of the same content that was kept, or is just being kept, within the window. */
  find(fingerprint: string, at: number): Readonly<Earlier> | undefined
  remember(fingerprint: string, earlier: Earlier): void
}

/** A business that gets more in ten minutes will bear a double. More of them cost each lead more. */
export const mostRemembered = 1_000

export function createRepeats(): Repeats {
  const recent = createRecent<string, Earlier>(mostRemembered)
  return {
    find(fingerprint, at) {
      const earlier = recent.get(fingerprint)
      return earlier !== undefined && at < earlier.at + repeatWindowMs ? earlier : undefined
    },
    remember: (fingerprint, earlier) => recent.set(fingerprint, earlier),
  }
}
