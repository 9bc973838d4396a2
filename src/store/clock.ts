/**
 * What can happen to the clock of a machine, and what a time of the future means.
 *
 * - It was ahead, and is set right: rows are left that were written "in the future". They count as
 *   never: `forgetFuture` forgets marks, keys, sessions and tickets of that time, and makes what
 *   waits for it due. Leads and their history keep their times.
 * - It was behind, for example at a start before the network was there: what was written before then
 *   looks like the future. So nothing is forgotten in the first hour of the service.
 * - It is set forward, or is ahead now: everything looks old. Deliveries leave and sessions end, which
 *   harms nobody. Only erasing cannot be taken back, so `src/lead/retention.ts` counts for a week first.
 * - Two nodes differ by some minutes: versions and ids put things in order, never times, and a time
 *   less than an hour ahead is one of now.
 *
 * Below this room, `src/log.ts` and `src/window-counter.ts` do the same for what a process remembers.
 */
import { longestDelayMs } from '../contract/notices.ts'
import { linkMs } from '../contract/limits.ts'
import { hourMs } from '../time.ts'
import type { Engine } from './engine/engine.ts'
import { toIdStart } from './leads/rows.ts'

/** More than the clocks of nodes differ. */
export const aheadMs = hourMs

export function isOfFuture(at: number, now: number): boolean {
  return at > now + aheadMs
}

/** Whether the two times are less than `ms` apart. What another clock wrote may lie a little ahead. */
export function isWithin(ms: number, at: number, now: number): boolean {
  return Math.abs(now - at) < ms
}

export async function forgetFuture(engine: Engine, now: number): Promise<void> {
  const latest = now + aheadMs
  const latestDue = latest + longestDelayMs
  await engine.run([
    // Otherwise a job would not run, and a sender's next request be taken for a repeat, until then.
    ['delete from once where at > $1', [latest]],
    ['delete from dedup where lead_id > $1', [toIdStart(latest)]],
    // Otherwise a sign-in of that time would last for as long as the clock was ahead.
    ['delete from session where made_at > $1', [latest]],
    ['delete from ticket where ends_at > $1', [latest + linkMs]],
    [
      `update delivery set due_at = $1, leased_until = 0
       where done_at is null and (due_at > $2 or leased_until > $2)`,
      [now, latestDue],
    ],
  ])
}
