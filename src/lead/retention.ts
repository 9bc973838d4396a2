/**
 * Erases leads by themselves, each night and on one node of several: spam, held leads, and those that
 * are closed without work. A lead that is new, contacted, booked or won stays until somebody erases it.
 */
import { retained, type RetainedGroup, type Retention, type State } from '../contract/states.ts'
import { repeatByClock, type ByClock, dayMs, hourMs, minuteMs } from '../time.ts'
import type { Report, ReportFailure } from '../log.ts'
import type { AgedLead } from '../store/leads/views.ts'
import type { Store } from '../store/store.ts'

type GroupCounts = Record<RetainedGroup, number>
const none: GroupCounts = { spam: 0, held: 0, closed: 0 }

/** In the event of the erasing, in place of a member. */
export const byRetention = 'retention'
const lookMs = 10 * minuteMs
const onceANightMs = 20 * hourMs
/** A machine that is off at night does it by day. */
const missedMs = 36 * hourMs
/** The rest waits for the next night, so that a setting made by mistake takes few at a time. */
export const mostANight = 500
/** After so many failures in one night the cause is not one lead. */
const mostFailures = 3
const pageSize = 250
const job = 'retention'

export type RetentionParts = {
  store: Store
  /** `undefined`: nothing is erased by itself. */
  retention: Retention | undefined
  /** By the clock of the business. */
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
    const turns = repeatByClock(async () => {
      await this.look()
      return lookMs
    }, lookMs)
    return {
      stop: () => {
        this.#stopped.abort()
        return turns.stop()
      },
    }
  }

  /** Resolves when what is due was done. A failure is reported; the rest is done in the next night. */
  async look(): Promise<void> {
    const { store, retention, isNight, report, now } = this.#parts
    try {
      const at = now()
      const last = await store.findOnce(job)
      const restMs = isNight(at) ? onceANightMs : missedMs
      const isDue = last === undefined ? isNight(at) : at - last.at > restMs
      if (!isDue || !(await store.firstSince(job, at, { before: (last?.at ?? 0) + 1 }))) return
      if (retention !== undefined) report('retention.erased', await this.#eraseDue(retention, at))
      // Deleting may leave words in the search index, also of leads that a member erased.
      await store.reindexWords(this.#stopped.signal)
    } catch (error) {
      this.#parts.reportFailure('retention.failed', error)
    }
  }

  async #eraseDue(retention: Retention, at: number): Promise<GroupCounts> {
    const { reportFailure } = this.#parts
    const erased = { ...none }
    let left = mostANight
    let failures = 0
    for await (const { group, lead, before } of dueLeads(this.#parts.store, retention, at)) {
      if (left === 0 || this.#stopped.signal.aborted) break
      try {
        if (await this.#eraseIfDue(lead, retained[group], before)) {
          erased[group] += 1
          left -= 1
        }
      } catch (error) {
        failures += 1
        if (failures === mostFailures) throw error
        reportFailure('retention.failed', error)
      }
    }
    return erased
  }

  /** False: somebody has moved it since the page was read. */
  async #eraseIfDue({ id }: AgedLead, states: readonly State[], before: number): Promise<boolean> {
    const { store, now } = this.#parts
    const lead = await store.findLead(id)
    const isDue = lead && states.includes(lead.state) && lead.stateChangedAt < before
    if (!isDue) return false
    return (await store.eraseLead(lead, { by: byRetention, at: now() })).kind === 'moved'
  }
}

/** The oldest first, page by page; what changes during the walk does no harm. */
async function* dueLeads(
  store: Store,
  retention: Retention,
  at: number,
): AsyncGenerator<{ group: RetainedGroup; lead: AgedLead; before: number }> {
  for (const group of Object.keys(retained) as RetainedGroup[]) {
    const before = at - retention[group] * dayMs
    for (const state of retained[group]) {
      for (let past: string | undefined = ''; past !== undefined;) {
        const page = await store.agedLeads(state, { past, before, limit: pageSize })
        past = page.at(-1)?.id
        for (const lead of page) {
          // A lead that came in before then may have been moved later.
          if (lead.stateChangedAt < before) yield { group, lead, before }
        }
      }
    }
  }
}
