/** Every node runs these jobs each minute. `claim` lets only one node add each email or alarm. */
import { hostname } from 'node:os'
import type { Settings } from '../config.ts'
import type { Business } from '../contract/business.ts'
import { readLeaving, type Leaving } from '../lead/retention.ts'
import type { ReportFailure } from '../log.ts'
import { aboutBackup, aboutDisk, aboutToday } from '../store/deliveries/about.ts'
import { isLate, readBackupState } from '../store/backup-state.ts'
import type { NewDelivery } from '../store/deliveries/rows.ts'
import type { DiskState } from '../store/files.ts'
import type { Store } from '../store/store.ts'
import {
  dayMs,
  hourMs,
  localTime,
  minuteMs,
  momentOf,
  openingMinute,
  repeatByClock,
  type ByClock,
} from '../time.ts'
import { confirmedPrefix } from './mail/mail-channels.ts'
import { toEach } from './notice.ts'

export type DailyJobParts = {
  settings: Settings
  store: Store
  business: Business
  readDisk?: (() => Promise<DiskState>) | undefined
  reportFailure: ReportFailure
  wake: () => void
  now: () => number
}

/** The morning email may be this late, if the service was off at opening time. */
const lateMs = 6 * hourMs

export class DailyJobs {
  readonly #parts: DailyJobParts
  #turns: ByClock | undefined

  constructor(parts: DailyJobParts) {
    this.#parts = parts
  }

  start(): void {
    this.#turns = repeatByClock(() => this.run(), minuteMs, 0)
  }

  async stop(): Promise<void> {
    await this.#turns?.stop()
  }

  async run(): Promise<void> {
    const jobs = [
      () => this.#addMorningEmail(),
      () => this.#forgetConfirmations(),
      () => this.#checkDisk(),
      () => this.#checkBackups(),
    ]
    for (const job of jobs) {
      await job().catch((error: unknown) => this.#parts.reportFailure('daily-job.failed', error))
    }
  }

  /** Adds the morning email, which is written only when it is sent. */
  async #addMorningEmail(): Promise<void> {
    const { store, business, now } = this.#parts
    const at = now()
    const { date, day } = localTime(at, business.timeZone)
    const opens = openingMinute(day, business.hours, business.morning)
    if (opens === undefined) return
    const dueAt = momentOf(date, opens, business.timeZone)
    if (at < dueAt || at > dueAt + lateMs) return
    const kind = 'leads.today'
    const last = (await store.marks.find(kind))?.at ?? 0
    if (last >= dueAt) return
    const { counts: leaving, erasesFrom } = (await this.#readLeaving(at)) ?? {}
    const about = aboutToday.write({ from: last || at - dayMs, before: at, leaving, erasesFrom })
    const email = { name: `${kind}-${at}`, kind, about, dueAt: at } as const
    await this.#addOnce(kind, dueAt, toEach(store.recipients[kind], email))
  }

  /** `undefined`: retention is off. */
  async #readLeaving(at: number): Promise<Leaving | undefined> {
    const { settings, store } = this.#parts
    const { RETENTION: retention } = settings
    return retention && readLeaving(store, retention, at)
  }

  /** Deletes records of notes to senders that are older than a day. */
  async #forgetConfirmations(): Promise<void> {
    const { store, now } = this.#parts
    const before = now() - dayMs
    const last = await store.marks.find('forget-confirmations')
    if (last !== undefined && last.at >= before) return
    await store.marks.put('forget-confirmations', now())
    await store.marks.forget(confirmedPrefix, before)
  }

  async #checkDisk(): Promise<void> {
    const disk = await this.#parts.readDisk?.()
    if (disk?.isLow !== true) return
    const at = this.#parts.now()
    const about = aboutDisk.write({ at, freeMib: disk.freeMib, machine: hostname() })
    await this.#alarm('disk.low', about)
  }

  async #checkBackups(): Promise<void> {
    const { settings, store, now } = this.#parts
    if (settings.BACKUP_TO === undefined) return
    const state = await readBackupState(store, now())
    if (!isLate(state, settings.BACKUP_EVERY, now())) return
    const madeAt = state.made?.at ?? 0
    const about = aboutBackup.write({ at: now(), madeAt, machine: hostname() })
    await this.#alarm('backup.late', about)
  }

  async #alarm(kind: 'disk.low' | 'backup.late', about: string): Promise<void> {
    const at = this.#parts.now()
    const alarm = { name: `${kind}-${at}`, kind, about, dueAt: at }
    await this.#addOnce(kind, at - dayMs, toEach(this.#parts.store.recipients[kind], alarm))
  }

  /** Adds the deliveries and records the run in one transaction, unless it ran at or after `before`. */
  async #addOnce(name: string, before: number, adds: NewDelivery[]): Promise<void> {
    const { store, wake, now } = this.#parts
    if (await store.marks.claim(name, now(), { before, adds })) wake()
  }
}
