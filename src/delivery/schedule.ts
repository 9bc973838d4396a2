/** When a delivery that failed is tried again: the schedule of Standard Webhooks 1.0, with jitter. */
const second = 1_000
const minute = 60 * second
const hour = 60 * minute

/** After the first try, which is made at once: how long to wait before each next one. 75 hours and a half in all. */
export const delaysMs = [
  5 * second,
  5 * minute,
  30 * minute,
  2 * hour,
  5 * hour,
  10 * hour,
  14 * hour,
  20 * hour,
  24 * hour,
] as const

/**
 * A delivery that was leased this often, and never ended, takes the process with it, or cannot be
 * marked. It must not go out for ever.
 */
export const mostLeases = 2 * (delaysMs.length + 1)

/** So that what failed together does not come back together. */
const jitter = 0.2
const longestMs = 24 * hour

/**
 * `attempts` were made so far. `undefined`: that was the last. Where the other side asked for more
 * patience than the schedule has, it gets it, up to a day.
 */
export function nextDelayMs(
  attempts: number,
  random: () => number,
  retryAfterMs = 0,
): number | undefined {
  const delay = delaysMs[attempts - 1]
  if (delay === undefined) return undefined
  const spread = Math.round(delay * (1 + jitter * (2 * random() - 1)))
  return Math.max(spread, Math.min(retryAfterMs, longestMs))
}

/** This many failures of a channel in a row, and it is down: from then on it is only probed now and then. */
export const failuresUntilDown = 5

const longestRestMs = 30 * second

/** Between two probes of a channel that is down. */
export function restMs(failures: number): number {
  if (failures < failuresUntilDown) return 0
  return Math.min(second * 2 ** (failures - failuresUntilDown), longestRestMs)
}
