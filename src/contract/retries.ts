/** When a failed delivery is tried again, by mail and by webhook. */
import { hourMs, minuteMs, secondMs } from '../time.ts'

/**
 * The wait before each further try. The first try is made at once. For two hours no wait is longer
 * than a quarter of an hour, so that a channel that is back is used soon. Not more tries than that: a
 * mail server that takes a letter and answers too late gets a copy with each.
 */
export const retryDelaysMs: readonly number[] = [
  5 * secondMs,
  30 * secondMs,
  2 * minuteMs,
  5 * minuteMs,
  ...Array<number>(8).fill(15 * minuteMs),
  ...Array<number>(10).fill(hourMs),
  ...Array<number>(15).fill(4 * hourMs),
]

/** From the first try to the last: three days. */
export const retriedForMs = retryDelaysMs.reduce((sum, delay) => sum + delay, 0)
