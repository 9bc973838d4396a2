/** The jobs that run by the clock of the business: the daily check, the digests, and forgetting. Each runs once, also with several nodes. */
import type { Business, Day } from '../../contract/business.ts'
import type { ChannelsFor } from '../../contract/notices.ts'
import { dayMs, hourMs, minuteMs } from '../../durations.ts'
import type { ReportFailure } from '../../once-a-minute.ts'
import { aboutSpan } from '../../store/about.ts'
import type { Store } from '../../store/store.ts'
import type { Span } from '../../store/about.ts'
import { notePrefix, toEach } from '../channel-plan.ts'
import type { Canary } from './canary.ts'
import { localTime } from './hours.ts'

export type DailyJobParts = {
  store: Pick<Store, 'firstSince' | 'findOnce' | 'forgetOnce' | 'addDeliveries'>
  channelsFor: ChannelsFor
  business: Business
  /** `undefined`: no daily check. */
  canary: Canary | undefined
  digests: boolean
  /** `undefined`: nothing is known of the disk. */
  checkDisk: (() => Promise<void>) | undefined
  /** `undefined`: no backups are made by the clock. */
  checkBackup: (() => Promise<void>) | undefined
  reportFailure: ReportFailure
  /** Called when something was added for the lanes. */
  wake: () => void
  now: () => number
}

export type DailyJobs = { run(): Promise<void>; stop(): void }

/** A job whose hour passed while the service was off still runs within this time; later it waits for the next day. */
const lateMs = 6 * hourMs

/** `minute` of the day; `day`: only on that one. `since` is when it last ran. */
type Job = {
  name: string
  minute: number
  day?: Day
  lateMs?: number
  run: (since: number) => Promise<void>
}

export function createDailyJobs(parts: DailyJobParts): DailyJobs {
  const { store, business, canary, now } = parts
  const digests: Job[] = [
    { name: 'held', minute: 7 * 60, run: addHeldDigest },
    { name: 'week', minute: 7 * 60, day: 'Monday', run: addWeekDigest },
  ]
  const jobs: Job[] = [
    { name: 'forget-notes', minute: 0, lateMs: dayMs, run: forgetNotes },
    ...(parts.digests ? digests : []),
    ...(canary ? [{ name: 'canary', minute: 6 * 60, run: canary.send }] : []),
  ]
  let timer: NodeJS.Timeout | undefined
  return { run, stop: () => clearTimeout(timer) }

  async function run(): Promise<void> {
    clearTimeout(timer)
    for (const job of jobs) await runIfDue(job).catch(logFailure)
    await canary?.check().catch(logFailure)
    await parts.checkDisk?.().catch(logFailure)
    await parts.checkBackup?.().catch(logFailure)
    timer = setTimeout(() => void run(), minuteMs).unref()
  }

  async function runIfDue(job: Job): Promise<void> {
    const at = now()
    const today = localTime(at, business.timeZone)
    const sinceMs = (today.minute - job.minute) * minuteMs
    if (job.day !== undefined && job.day !== today.day) return
    if (sinceMs < 0 || sinceMs > (job.lateMs ?? lateMs)) return
    const dueAt = Math.floor(at / minuteMs) * minuteMs - sinceMs
    const last = await store.findOnce(job.name)
    if ((last?.at ?? 0) >= dueAt) return
    if (await store.firstSince(job.name, at, { before: dueAt })) {
      await job.run(last?.at ?? at - dayMs)
    }
  }

  /** An address gets one note a day, so those of the last day are all that is needed. */
  async function forgetNotes(): Promise<void> {
    await store.forgetOnce(notePrefix, now() - dayMs)
  }

  /** The digest is written when it is sent; where none is held, none is sent. */
  async function addHeldDigest(since: number): Promise<void> {
    await addDigest('leads.held', { from: since, before: now() })
  }

  async function addWeekDigest(): Promise<void> {
    await addDigest('leads.week', { from: now() - 7 * dayMs, before: now() })
  }

  async function addDigest(kind: 'leads.held' | 'leads.week', span: Span): Promise<void> {
    const dueAt = now()
    const name = `${kind}-${localTime(dueAt, business.timeZone).date}`
    const digest = { name, kind, about: aboutSpan.write(span), dueAt }
    await store.addDeliveries(toEach(parts.channelsFor(kind), digest))
    parts.wake()
  }

  function logFailure(error: unknown): void {
    parts.reportFailure('daily-job.failed', error)
  }
}
