/**
 * The jobs of each day: the digest of held leads in the morning, deleting old records of notes to
 * senders, and alarms about disk and backups. With several nodes, each is done by one of them.
 */
import { hostname } from 'node:os'
import type { Settings } from '../config.ts'
import type { Business } from '../contract/business.ts'
import type { Telling } from '../contract/notices.ts'
import type { ReportFailure } from '../log.ts'
import { aboutBackup, aboutDisk, aboutSpan } from '../store/deliveries/about.ts'
import { isLate, readBackupState } from '../store/backup-state.ts'
import type { NewDelivery } from '../store/deliveries/rows.ts'
import type { DiskState } from '../store/files.ts'
import type { Store } from '../store/store.ts'
import { dayMs, hourMs, localTime, minuteMs, repeatByClock, type ByClock } from '../time.ts'
import { notePrefix } from './mail/mail-channels.ts'
import { toEach } from './notice.ts'

export type DailyJobParts = {
  settings: Settings
  store: Store
  tell: Telling
  business: Business
  /** Left out: the disk is not checked. */
  readDisk?: (() => Promise<DiskState>) | undefined
  reportFailure: ReportFailure
  /** Called after deliveries were added. */
  wake: () => void
  now: () => number
}

/** A digest that was due while the service was off is still sent within this time; later it waits for the next day. */
const lateMs = 6 * hourMs
/** When digests are due, in minutes since midnight. */
const morning = 7 * 60

export class DailyJobs {
  readonly #parts: DailyJobParts
  #turns: ByClock | undefined

  constructor(parts: DailyJobParts) {
    this.#parts = parts
  }

  start(): void {
    this.#turns = repeatByClock(async () => {
      await this.run()
      return minuteMs
    }, 0)
  }

  async stop(): Promise<void> {
    await this.#turns?.stop()
  }

  /** Tries every job; each does something only if it is due. */
  async run(): Promise<void> {
    const jobs = [
      () => this.#sendDigest(),
      () => this.#forgetNotes(),
      () => this.#checkDisk(),
      () => this.#checkBackups(),
    ]
    for (const job of jobs) {
      await job().catch((error: unknown) => this.#parts.reportFailure('daily-job.failed', error))
    }
  }

  /** The digest is written when it is sent; where no lead is held, none is sent. */
  async #sendDigest(): Promise<void> {
    const { store, business, now, tell } = this.#parts
    const at = now()
    const sinceMs = (localTime(at, business.timeZone).minute - morning) * minuteMs
    if (sinceMs < 0 || sinceMs > lateMs) return
    const dueAt = Math.floor(at / minuteMs) * minuteMs - sinceMs
    const last = (await store.findOnce('held'))?.at ?? 0
    if (last >= dueAt) return
    const kind = 'leads.held'
    const about = aboutSpan.write({ from: last || at - dayMs, before: at })
    const digest = { name: `${kind}-${at}`, kind, about, dueAt: at } as const
    await this.#addOnce('held', dueAt, toEach(tell[kind], digest))
  }

  /** Deletes records of notes to senders after a day: they only ensure that an address gets one note a day. */
  async #forgetNotes(): Promise<void> {
    const { store, now } = this.#parts
    const before = now() - dayMs
    const last = await store.findOnce('forget-notes')
    if (last !== undefined && last.at >= before) return
    await store.firstSince('forget-notes', now(), { before })
    await store.forgetOnce(notePrefix, before)
  }

  async #checkDisk(): Promise<void> {
    const disk = await this.#parts.readDisk?.()
    if (disk?.isLow !== true) return
    const at = this.#parts.now()
    const about = aboutDisk.write({ at, freeMib: disk.freeMib, machine: hostname() })
    await this.#alarm('disk.low', 'disk-low', about)
  }

  async #checkBackups(): Promise<void> {
    const { settings, store, now } = this.#parts
    if (settings.BACKUP_TO === undefined) return
    const state = await readBackupState(store)
    if (!isLate(state, settings.BACKUP_EVERY, now())) return
    const madeAt = state.made?.at ?? 0
    const about = aboutBackup.write({ at: now(), madeAt, machine: hostname() })
    await this.#alarm('backup.late', 'backup-late', about)
  }

  /** Adds an alarm, at most once a day. */
  async #alarm(kind: 'disk.low' | 'backup.late', name: string, about: string): Promise<void> {
    const at = this.#parts.now()
    const alarm = { name: `${name}-${at}`, kind, about, dueAt: at }
    await this.#addOnce(name, at - dayMs, toEach(this.#parts.tell[kind], alarm))
  }

  /** Adds deliveries and, in the same batch, the record that `name` ran; nothing if it has run since `before`. */
  async #addOnce(name: string, before: number, adds: NewDelivery[]): Promise<void> {
    const { store, wake, now } = this.#parts
    if (await store.firstSince(name, now(), { before, adds })) wake()
  }
}
