/** Failures of background work in the log: the first of each kind at once, then at most one line a minute. */
import { minuteMs } from './durations.ts'
import { errorFacts } from './log.ts'
import type { Log } from './log.ts'

export type ReportFailure = (event: string, error: unknown) => void

/** `times` in a line: how often it has happened since the last one. */
export function reportOnceAMinute(write: Log['warn'], now: () => number): ReportFailure {
  const kinds = new Map<string, { writtenAt: number; times: number }>()
  return (event, error) => {
    const facts = errorFacts(error)
    const kind = `${event} ${facts['error']} ${facts['code']} ${facts['reason']}`
    const before = kinds.get(kind)
    const times = (before?.times ?? 0) + 1
    const age = now() - (before?.writtenAt ?? Number.NEGATIVE_INFINITY)
    if (before !== undefined && age >= 0 && age < minuteMs) before.times = times
    else {
      kinds.set(kind, { writtenAt: now(), times: 0 })
      write(event, { ...facts, times })
    }
  }
}
