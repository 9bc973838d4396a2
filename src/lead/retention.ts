/** Each night, one of the nodes erases old spam, held and closed leads. */
import {
  retained,
  type RetainedCounts,
  type RetainedGroup,
  type Retention,
} from '../contract/states.ts'
import { repeatByClock, type ByClock, dayMs, hourMs, minuteMs } from '../time.ts'
import type { Report, ReportFailure } from '../log.ts'
import type { Lead } from '../store/leads/rows.ts'
import { erase } from './life.ts'
import type { Store } from '../store/store.ts'

export const byRetention = 'retention'
const checkEveryMs = 10 * minuteMs
const onceANightMs = 20 * hourMs
/** After this long without erasing, leads are also erased by day, because the machine may be off at night. */
const missedMs = 36 * hourMs
/** After a longer pause, one turn is skipped: the clock may be wrong, and would make young leads old. */
const longPauseMs = 3 * dayMs
/** Small, so that a mistaken setting does little harm. */
export const mostANight = 500
/** What a week of nights can erase. */
const mostCounted = 7 * mostANight
const oldest = { order: 'oldest', limit: 250 } as const
const job = 'retention'

const skipped =
  'Nothing was erased, because the last run was more than three days ago: the service was off, or the clock is wrong. Check the clock before the next night.'

export type RetentionParts = {
  store: Store
  /** `undefined`: the service erases no lead by itself. */
  retention: Retention | undefined
  /** Whether it is night in the time zone of the business. */
  isNight: (at: number) => boolean
  report: Report
  reportFailure: ReportFailure
  now: () => number
}

export class NightlyErasing {
  readonly #parts: RetentionParts
  readonly #stopped = new AbortController()

  constructor(parts: RetentionParts) {
    this.#parts = parts
  }

  start(): ByClock {
    const turns = repeatByClock(() => this.runIfDue(), checkEveryMs)
    return {
      stop: () => {
        this.#stopped.abort()
        return turns.stop()
      },
    }
  }

  async runIfDue(): Promise<void> {
    const { store, retention, report, now } = this.#parts
    try {
      const at = now()
      const last = await store.marks.findPast(job, at)
      if (!this.#isDue(last?.at, at)) return
      if (!(await store.marks.claim(job, at, { before: (last?.at ?? 0) + 1 }))) return
      if (last !== undefined && at - last.at > longPauseMs) {
        report('retention.skipped', { last: new Date(last.at).toISOString(), note: skipped })
        return
      }
      if (retention !== undefined) report('retention.erased', await this.#eraseDue(retention, at))
      await store.leads.forgetExpiredKeys(at)
      await store.leads.forgetErased(last?.at ?? 0)
    } catch (error) {
      this.#parts.reportFailure('retention.failed', error)
    }
  }

  #isDue(lastAt: number | undefined, at: number): boolean {
    const isNight = this.#parts.isNight(at)
    if (lastAt === undefined) return isNight
    return at - lastAt > (isNight ? onceANightMs : missedMs)
  }

  async #eraseDue(retention: Retention, at: number): Promise<RetainedCounts> {
    const { store, now } = this.#parts
    const erased = noneOf()
    let left = mostANight
    for await (const { group, lead } of dueLeads(store, retention, at)) {
      if (left === 0 || this.#stopped.signal.aborted) break
      const erasing = erase({ by: byRetention, at: now() })(lead)
      // If somebody has changed the lead since it was read, it stays.
      if (erasing.kind !== 'change') continue
      if ((await store.leads.apply(lead, erasing.change)) === undefined) continue
      erased[group] += 1
      left -= 1
    }
    return erased
  }
}

/** How many leads of each group will be due at `at`. */
export async function countDue(
  store: Store,
  retention: Retention,
  at: number,
): Promise<RetainedCounts> {
  const due = noneOf()
  let left = mostCounted
  for await (const { group } of dueLeads(store, retention, at)) {
    due[group] += 1
    left -= 1
    if (left === 0) break
  }
  return due
}

function noneOf(): RetainedCounts {
  return { spam: 0, held: 0, closed: 0 }
}

async function* dueLeads(
  store: Store,
  retention: Retention,
  at: number,
): AsyncGenerator<{ group: RetainedGroup; lead: Lead }> {
  for (const group of Object.keys(retained) as RetainedGroup[]) {
    const before = at - retention[group] * dayMs
    for await (const lead of leadsBefore(store, group, before)) {
      if (lead.stateChangedAt < before) yield { group, lead }
    }
  }
}

/** Reads page by page, up to the first lead that was received later. */
async function* leadsBefore(
  store: Store,
  group: RetainedGroup,
  before: number,
): AsyncGenerator<Lead> {
  const states = retained[group]
  let past: string | undefined = ''
  while (past !== undefined) {
    const page: Lead[] = await store.views.list({ ...oldest, states, past })
    const aged = page.filter(({ receivedAt }) => receivedAt < before)
    yield* aged
    past = aged.length < page.length ? undefined : page.at(-1)?.id
  }
}
