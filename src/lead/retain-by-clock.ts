/**
 * Each night, on one node of several: erases the leads whose time is over, yielding to new leads, and
 * removes the last words of erased leads from the search index.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { repeatByClock } from '../by-clock.ts'
import type { ByClock } from '../by-clock.ts'
import type { Retention } from '../contract/retention.ts'
import { hourMs, minuteMs, secondMs } from '../durations.ts'
import type { Report, ReportFailure } from '../log.ts'
import type { Store } from '../store/store.ts'
import { batchSizes, eraseDue } from './retention.ts'

export type RetainParts = {
  store: Pick<
    Store,
    | 'agedLeads'
    | 'findLeads'
    | 'eraseLeads'
    | 'listLeads'
    | 'firstSince'
    | 'findOnce'
    | 'reindexWords'
  >
  /** `undefined`: nothing is erased by itself. */
  retention: Retention | undefined
  /** By the clock of the business. */
  isNight: (at: number) => boolean
  report: Report
  reportFailure: ReportFailure
  now: () => number
  pauseMs?: number
}

export type RetainByClock = ByClock & {
  /** Resolves when what is due was done. */
  look(): Promise<void>
}

const lookMs = 10 * minuteMs
const onceANightMs = 20 * hourMs
/** A machine that is off at night does it by day. */
const missedMs = 36 * hourMs
/** While leads come in, it works for one part of the time in so many: fewer than one lead in a hundred waits for it. */
const restWhileBusy = 200
/** After a failure; PostgreSQL is mostly back by then. */
const failurePauseMs = 1_000
const job = 'retention'

export function retainByClock(parts: RetainParts): RetainByClock {
  const { store, retention, isNight, report, now, pauseMs = failurePauseMs } = parts
  const stopped = new AbortController()
  let looking: Promise<void> | undefined
  const turns = repeatByClock(async () => {
    await look()
    return lookMs
  }, lookMs)
  return {
    look,
    async stop() {
      stopped.abort()
      await Promise.all([turns.stop(), looking])
    },
  }

  function look(): Promise<void> {
    looking ??= eraseIfDue()
      // The rest is done in the next night.
      .catch(reportFailure)
      .finally(() => (looking = undefined))
    return looking
  }

  async function eraseIfDue(): Promise<void> {
    const at = now()
    const last = await store.findOnce(job)
    const isDue =
      last === undefined ? isNight(at) : at - last.at > (isNight(at) ? onceANightMs : missedMs)
    if (!isDue) return
    if (!(await store.firstSince(job, at, { before: (last?.at ?? 0) + 1 }))) return
    if (retention !== undefined) {
      const erased = await eraseDue({ store, retention, now, rest })
      report('retention.erased', erased)
    }
    await store.reindexWords(stopped.signal)
  }

  async function rest(tookMs: number, failure?: unknown): Promise<number> {
    if (failure !== undefined) reportFailure(failure)
    if (stopped.signal.aborted) return 0
    const isSlow = failure !== undefined || (await isBusy())
    const slowMs = failure === undefined ? tookMs * restWhileBusy : pauseMs
    await sleep(isSlow ? slowMs : 0, undefined, { signal: stopped.signal }).catch(() => {})
    return stopped.signal.aborted ? 0 : batchSizes[isSlow ? 'busy' : 'idle']
  }

  /** A lead came in the last second. */
  async function isBusy(): Promise<boolean> {
    const [newest] = await store.listLeads({ limit: 1 })
    return newest !== undefined && newest.receivedAt > now() - secondMs
  }

  function reportFailure(error: unknown): void {
    parts.reportFailure('retention.failed', error)
  }
}
