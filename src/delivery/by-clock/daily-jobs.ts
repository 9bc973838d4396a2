/** The jobs that run by the clock of the business: the daily check, the digests, and forgetting. Each runs once, also with several nodes. */
import type { Business, Day } from '../../contract/business.ts'
import type { ChannelsFor } from '../../contract/notices.ts'
import { dayMs, hourMs, minuteMs } from '../../durations.ts'
import type { ReportFailure } from '../../log.ts'
import { aboutSpan } from '../../store/about.ts'
import type { Span } from '../../store/about.ts'
import type { Store } from '../../store/store.ts'
import type { NewDelivery } from '../../store/delivery-rows.ts'
import { notePrefix, toEach } from '../channel-plan.ts'
import type { Canary } from './canary.ts'
import { localTime } from './hours.ts'

export type DailyJobParts = {
  store: Pick<Store, 'firstSince' | 'findOnce' | 'forgetOnce'>
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

/** `minute` of the day; `day`: only on that one. */
type Job = {
  name: string
  minute: number
  day?: Day
  lateMs?: number
} & (
  | { run: () => Promise<void> }
  /** What it adds, in one batch with the note that it ran; `since` is when it last ran. */
  | { adds: (since: number, at: number) => NewDelivery[] }
)

export function createDailyJobs(parts: DailyJobParts): DailyJobs {
  const { store, business, canary, now } = parts
  const digests: Job[] = [
    { name: 'held', minute: 7 * 60, adds: heldDigest },
    { name: 'week', minute: 7 * 60, day: 'Monday', adds: weekDigest },
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
    const adds = 'adds' in job ? job.adds(last?.at ?? at - dayMs, at) : []
    if (!(await store.firstSince(job.name, at, { before: dueAt, adds }))) return
    if ('run' in job) await job.run()
    else parts.wake()
  }

  /** An address gets one note a day, so those of the last day are all that is needed. */
  async function forgetNotes(): Promise<void> {
    await store.forgetOnce(notePrefix, now() - dayMs)
  }

  /** The digest is written when it is sent; where none is held, none is sent. */
  function heldDigest(since: number, at: number): NewDelivery[] {
    return digestOf('leads.held', { from: since, before: at })
  }

  function weekDigest(_: number, at: number): NewDelivery[] {
    return digestOf('leads.week', { from: at - 7 * dayMs, before: at })
  }

  function digestOf(kind: 'leads.held' | 'leads.week', span: Span): NewDelivery[] {
    const name = `${kind}-${span.before}`
    const digest = { name, kind, about: aboutSpan.write(span), dueAt: span.before }
    return toEach(parts.channelsFor(kind), digest)
  }

  function logFailure(error: unknown): void {
    parts.reportFailure('daily-job.failed', error)
  }
}
