/** Each night, one of the nodes erases old spam, held and closed leads. */
import {
  retainedGroups,
  retainedIn,
  type RetainedCounts,
  type RetainedGroup,
  type Retention,
} from '../contract/states.ts'
import { repeatByClock, type ByClock, dayMs, durationInWords, hourMs, minuteMs } from '../time.ts'
import type { ReportEvent, ReportFailure } from '../log.ts'
import type { Lead } from '../store/leads/rows.ts'
import type { Mark } from '../store/marks.ts'
import { erase } from './life.ts'
import type { Store } from '../store/store.ts'

export const byRetention = 'retention'
const checkEveryMs = 10 * minuteMs
const onceANightMs = 20 * hourMs
/** After this long without erasing, leads are also erased by day, because the machine may be off at night. */
const missedMs = 36 * hourMs
/**
 * Before its first run and after a longer pause, retention only counts for some nights: the clock may be
 * wrong, and would make young leads old. Meanwhile the owner reads in the morning email what would go.
 */
const longPauseMs = 3 * dayMs
const countedMs = 7 * dayMs
/** Small, so that a mistaken setting does little harm. */
export const mostANight = 500
/** What a week of nights can erase. */
const mostCounted = 7 * mostANight
const oldest = { order: 'oldest', limit: 250 } as const
const job = 'retention'

/** What the mark of the job says after a night in which retention was off. Otherwise it says since when it counts. */
const off = 'off'

export const whyCounted = `retention had not run in the ${durationInWords(longPauseMs)} before: it was just switched on, the service was off, or its clock was wrong`

export type RetentionParts = {
  store: Store
  /** `undefined`: the service erases no lead by itself. */
  retention: Retention | undefined
  /** Whether it is night in the time zone of the business. */
  isNight: (at: number) => boolean
  report: ReportEvent
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
    const { store, retention, now } = this.#parts
    try {
      const at = now()
      const last = await store.marks.find(job)
      if (!this.#isDue(last?.at, at)) return
      const since = countsSince(last, at)
      const about = retention === undefined ? off : String(since ?? '')
      if (!(await store.marks.claim(job, at, { before: (last?.at ?? 0) + 1, about }))) return
      if (retention !== undefined) await this.#eraseOrCount(retention, at, since)
      await store.leads.forgetExpiredKeys(at)
      await store.leads.forgetErased(last?.at ?? 0)
      await store.photos.forgetOld(at)
    } catch (error) {
      this.#parts.reportFailure('retention.failed', error)
    }
  }

  #isDue(lastAt: number | undefined, at: number): boolean {
    const isNight = this.#parts.isNight(at)
    if (lastAt === undefined) return isNight
    return at - lastAt > (isNight ? onceANightMs : missedMs)
  }

  async #eraseOrCount(retention: Retention, at: number, since: number | undefined): Promise<void> {
    const { store, report } = this.#parts
    if (since === undefined) {
      report('retention.erased', await this.#eraseDue(retention, at))
      return
    }
    const counts = await countDue(store, retention, at)
    const erasesFrom = new Date(since + countedMs).toISOString()
    const note = `Nothing was erased, because ${whyCounted}. Check the clock.`
    report('retention.counted', { ...counts, erasesFrom, note })
  }

  async #eraseDue(retention: Retention, at: number): Promise<RetainedCounts> {
    const { store, now } = this.#parts
    const erased = noneOf()
    let left = mostANight
    for await (const { group, lead } of dueLeads(store, retention, at)) {
      if (left === 0 || this.#stopped.signal.aborted) break
      const family = await store.leads.familyOf(lead)
      const erasing = erase({ by: byRetention, at: now() })(lead, family)
      // If somebody has changed the lead since it was read, it stays.
      if (erasing.kind !== 'change') continue
      const { change, also } = erasing
      if ((await store.leads.apply(lead, change, also)) === undefined) continue
      erased[group] += 1
      left -= 1
    }
    return erased
  }
}

/**
 * Since when retention only counts; `undefined` if it erases. `begins`: when the counting begins, if it
 * has not begun.
 */
function countsSince(last: Mark | undefined, at: number, begins = at): number | undefined {
  if (last === undefined || last.about === off || at - last.at > longPauseMs) return begins
  if (last.about === '') return undefined
  const since = Number(last.about)
  // The last night may begin earlier than the first one did.
  return at - since > countedMs - dayMs + onceANightMs ? undefined : since
}

export type Leaving = {
  counts: RetainedCounts
  /** While retention only counts: when it begins to erase these. */
  erasesFrom?: number
}

/** The leads that retention erases within a week or, while it only counts, once it erases. */
export async function readLeaving(
  store: Store,
  retention: Retention,
  at: number,
): Promise<Leaving> {
  const since = countsSince(await store.marks.find(job), at, at + dayMs)
  if (since === undefined) return { counts: await countDue(store, retention, at + 7 * dayMs) }
  const erasesFrom = since + countedMs
  return { counts: await countDue(store, retention, erasesFrom), erasesFrom }
}

/** How many leads of each group will be due at `at`. */
async function countDue(store: Store, retention: Retention, at: number): Promise<RetainedCounts> {
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
  for (const group of retainedGroups) {
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
  const states = retainedIn(group)
  let past: string | undefined = ''
  while (past !== undefined) {
    const page: Lead[] = await store.views.list({ ...oldest, states, past })
    const aged = page.filter(({ receivedAt }) => receivedAt < before)
    yield* aged
    past = aged.length < page.length ? undefined : page.at(-1)?.id
  }
}
