/**
 * A clock that was ahead, and was set right, leaves times behind that are still to come. They are not
 * believed: what happened then has not happened, and what lasts for a while is over.
 */
import { minuteMs } from './durations.ts'

/** The clocks of nodes differ by less. */
const slackMs = minuteMs

/** What a right clock has written by now is no later. */
export function latestTime(now: number): number {
  return now + slackMs
}

/** Of what lasts so long, and ends then. */
export function isOver(endsAt: number, lastsMs: number, now: number): boolean {
  return endsAt <= now || endsAt > latestTime(now + lastsMs)
}
