/**
 * How a lead becomes an email: a delivery for each channel is committed together with the lead. The
 * commit wakes worker.ts, which leases the delivery when it is due and lets notice.ts read the
 * lead. mail/lead-email.ts writes the email, and mail/smtp.ts sends it.
 */
import { readEnvironment } from '../config.ts'
import { secondMs } from '../time.ts'
import { reportOnceAMinute, type Log } from '../log.ts'
import type { DiskState } from '../store/files.ts'
import type { DeliveryChannel } from './channel.ts'
import {
  onlyPhones,
  openChannels,
  planChannels,
  planTested,
  type ChannelParts,
} from './channels.ts'
import { DailyJobs } from './daily-jobs.ts'
import { OwnerMail } from './mail/mail-channels.ts'
import { Push } from './push.ts'
import { Worker } from './worker.ts'

/** `timeoutMs` replaces the timeout of every channel, of codes and of invitations. */
export type NotifierParts = Omit<ChannelParts, 'variable'> & {
  variable?: ChannelParts['variable']
  random?: () => number
  readDisk?: () => Promise<DiskState>
  emailsPerHour?: number
}

/** What the doors need of it. */
export type Announcer = Pick<Notifier, 'names' | 'push' | 'mailsCodes' | 'mailCode' | 'invite'>

/** For codes and invitations. Short, because a mail server that hangs makes the next codes wait. */
const codePatienceMs = 10 * secondMs
const stopPatienceMs = 3 * secondMs

export class Notifier {
  /** The names of all channels. */
  readonly names: readonly string[]
  readonly push: Push
  readonly jobs: DailyJobs
  readonly #channels: readonly DeliveryChannel[]
  readonly #worker: Worker
  readonly #mail: OwnerMail | undefined
  readonly #log: Log
  readonly #codeTimeout: () => AbortSignal

  constructor(parts: NotifierParts) {
    const { settings, log, now } = parts
    const { random = Math.random, variable = (name) => readEnvironment()[name] } = parts
    const plans = planChannels(settings, parts.business)
    const channels = openChannels(plans, { ...parts, variable })
    const reportFailure = reportOnceAMinute(log.error, now)
    if (planTested(settings, parts.business).length === 0) {
      log.warn('delivery.no-channel', { note: `${onlyPhones}.` })
    }
    this.names = plans.map(({ name }) => name)
    this.push = channels.find((channel) => channel instanceof Push)!
    this.#channels = channels
    this.#log = log
    this.#codeTimeout = () => AbortSignal.timeout(parts.timeoutMs ?? codePatienceMs)
    this.#mail = channels.find((channel) => channel instanceof OwnerMail)
    this.#worker = new Worker({ ...parts, channels, reportFailure, random })
    this.jobs = new DailyJobs({ ...parts, reportFailure, wake: () => this.wake() })
    parts.store.leads.onDue(() => this.wake())
  }

  start(): void {
    this.jobs.start()
    this.wake()
  }

  get mailsCodes(): boolean {
    return this.#mail !== undefined
  }

  async mailCode(code: string, to: string): Promise<boolean> {
    const sent = await this.#mail?.sendCode({ code, to }, this.#codeTimeout())
    return sent?.kind === 'delivered'
  }

  async invite(by: string, to: string): Promise<void> {
    const sent = await this.#mail?.invite({ by, to }, this.#codeTimeout())
    if (sent && sent.kind !== 'delivered')
      this.#log.warn('inbox.invitation-not-sent', { answer: sent.answer })
  }

  wake(): void {
    this.#worker.wake()
  }

  settled(): Promise<void> {
    return this.#worker.settled()
  }

  async stop(patienceMs = stopPatienceMs): Promise<void> {
    await this.jobs.stop()
    await this.#worker.stop(patienceMs)
    for (const channel of this.#channels) channel.close?.()
  }
}
