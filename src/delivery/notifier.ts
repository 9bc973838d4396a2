/**
 * How a lead becomes an email: a delivery for each channel is committed together with the lead. The
 * commit wakes worker.ts, which leases the delivery when it is due and lets notice.ts read the
 * lead. mail/lead-email.ts writes the email, and mail/smtp.ts sends it.
 */
import { readEnvironment, type Settings } from '../config.ts'
import { pushChannel, recipientsOf, noRecipients, type Recipients } from '../contract/notices.ts'
import { secondMs } from '../time.ts'
import { reportOnceAMinute, type Log } from '../log.ts'
import type { DiskState } from '../store/files.ts'
import type { DeliveryChannel } from './channel.ts'
import { openChannels, planChannels, type ChannelParts } from './channels.ts'
import { DailyJobs } from './daily-jobs.ts'
import { OwnerMail } from './mail/mail-channels.ts'
import { pushedKinds, Push } from './push.ts'
import { Worker } from './worker.ts'

export type NotifierParts = Omit<ChannelParts, 'plans' | 'variable'> & {
  settings: Settings
  pushServices?: readonly string[]
  log: Log
  variable?: ChannelParts['variable']
  random?: () => number
  readDisk?: () => Promise<DiskState>
  /** Replaces the timeout of every channel, of codes and of invitations. */
  timeoutMs?: number
  emailsPerHour?: number
}

export type Announcer = Pick<
  Notifier,
  'names' | 'recipients' | 'mailsCodes' | 'mailCode' | 'invite'
> & {
  push?: Push
}

export const noAnnouncer: Announcer = {
  names: [],
  recipients: noRecipients,
  mailsCodes: false,
  mailCode: () => Promise.resolve(false),
  invite: () => Promise.resolve(),
}

/** For codes and invitations. Short, because a mail server that hangs makes the next codes wait. */
const codePatienceMs = 10 * secondMs
const stopPatienceMs = 3 * secondMs

export class Notifier {
  /** The names of all channels but push. */
  readonly names: readonly string[]
  readonly recipients: Recipients
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
    const push = new Push(parts, parts.pushServices)
    const channels = [...openChannels({ ...parts, plans, variable }), push]
    const namesOf = (some: typeof plans) => some.map(({ name }) => name)
    const ofEvents = recipientsOf((kind) => [
      ...namesOf(plans.filter(({ wants }) => wants(kind))),
      ...(pushedKinds.includes(kind) ? [pushChannel] : []),
    ])
    const ofVisits = plans.filter((plan) => plan.way === 'sender-mail' && plan.visits)
    const recipients = { ...ofEvents, 'lead.visit': namesOf(ofVisits) }
    const reportFailure = reportOnceAMinute(log.error, now)
    if (plans.length === 0) {
      log.warn('delivery.no-channel', {
        note: 'Neither SMTP_URL nor a webhook is set: leads are kept, but only phones that a member added in the inbox are notified.',
      })
    }
    this.names = namesOf(plans)
    this.recipients = recipients
    this.push = push
    this.#channels = channels
    this.#log = log
    this.#codeTimeout = () => AbortSignal.timeout(parts.timeoutMs ?? codePatienceMs)
    this.#mail = channels.find((channel) => channel instanceof OwnerMail)
    this.#worker = new Worker({ ...parts, channels, recipients, reportFailure, random })
    this.jobs = new DailyJobs({ ...parts, recipients, reportFailure, wake: () => this.wake() })
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
