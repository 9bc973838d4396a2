/** When a failed delivery is tried again, by mail and by webhook. */
import { hourMs, minuteMs, secondMs } from '../durations.ts'

/** The wait before each further try. The first try is made at once. */
export const retryDelaysMs = [
  5 * secondMs,
  5 * minuteMs,
  30 * minuteMs,
  2 * hourMs,
  5 * hourMs,
  10 * hourMs,
  14 * hourMs,
  20 * hourMs,
  24 * hourMs,
] as const

/** From the first try to the last: 75 and a half hours. */
export const retriedForMs = retryDelaysMs.reduce<number>((sum, delay) => sum + delay, 0)
