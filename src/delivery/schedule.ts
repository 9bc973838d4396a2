/** When a failed delivery is tried again, and how often a channel that is down is probed. */
import { retryDelaysMs } from '../contract/retries.ts'
import { dayMs, minuteMs, secondMs } from '../durations.ts'

/** One notice tells of everything of its kind in this time. */
export const gatherMs = 10 * minuteMs

/**
 * A delivery that was leased this often and never marked as done crashes the process, or cannot be
 * marked. It is given up. Leases grow with their number, so that takes a day and a half at least.
 */
export const mostLeases = 2 * (retryDelaysMs.length + 1)

/** So that what failed together does not come back together. */
const jitter = 0.2
const longestDelayMs = dayMs

/**
 * The wait after so many failed tries; `undefined`: that was the last. A longer `Retry-After` is
 * honoured, up to a day.
 */
export function nextDelayMs(
  failures: number,
  random: () => number,
  retryAfterMs = 0,
): number | undefined {
  const delay = retryDelaysMs[failures - 1]
  if (delay === undefined) return undefined
  const spread = Math.round(delay * (1 + jitter * (2 * random() - 1)))
  return Math.max(spread, Math.min(retryAfterMs, longestDelayMs))
}

/** After this many failures in a row a channel is down, and is only probed. */
export const failuresUntilDown = 5

const longestRestMs = 30 * secondMs

/** The wait between two probes of a channel that is down; 0 while it is not. */
export function restMs(failures: number): number {
  if (failures < failuresUntilDown) return 0
  return Math.min(secondMs * 2 ** (failures - failuresUntilDown), longestRestMs)
}
