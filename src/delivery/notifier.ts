/**
 * Notifies the owner, his systems and, if the settings say so, senders.
 *
 * How a lead becomes a letter: channels.ts says which channels get a notice of the lead. A delivery
 * for each of them is committed together with the lead. worker.ts leases a delivery when it is due.
 * notice.ts reads the lead as it is then, mail/letters.ts writes the letter, and mail/smtp.ts sends
 * it.
 */
import { readEnvironment, type Settings } from '../config.ts'
import { pushChannel, tellingOf, tellNobody, type Telling } from '../contract/notices.ts'
import { secondMs } from '../time.ts'
import { reportOnceAMinute, type Log } from '../log.ts'
import type { DiskState } from '../store/files.ts'
import type { DeliveryChannel } from './channel.ts'
import { openChannels, planChannels, type ChannelParts } from './channels.ts'
import { DailyJobs } from './daily-jobs.ts'
import { OwnerMail } from './mail/mail-channels.ts'
import { isPushed, Push } from './push.ts'
import { Worker } from './worker.ts'

export type NotifierParts = Omit<ChannelParts, 'plans' | 'variable'> & {
  settings: Settings
  /** Used in place of the known push services. */
  pushServices?: readonly string[]
  log: Log
  variable?: ChannelParts['variable']
  random?: () => number
  /** Reads the state of the disk that holds the database or the journal. If left out, the disk is not checked. */
  readDisk?: () => Promise<DiskState>
  /** Replaces the timeout of every channel, and that of codes and invitations. */
  timeoutMs?: number
}

/** The part of the notifier that doors use. */
export type Announcer = Pick<Notifier, 'names' | 'tell' | 'mailsCodes' | 'mailCode' | 'invite'> & {
  push?: Push
}

/** Used where there is no notifier. It notifies nobody. */
export const noAnnouncer: Announcer = {
  names: [],
  tell: tellNobody,
  mailsCodes: false,
  mailCode: () => Promise.resolve(false),
  invite: () => Promise.resolve(),
}

/** Short, because a member waits for the next page while the code is mailed. */
const codePatienceMs = 10 * secondMs
const stopPatienceMs = 3 * secondMs

export class Notifier {
  /** Names of the channels that are set up, without push. */
  readonly names: readonly string[]
  readonly tell: Telling
  /** Notifies the devices of members. It is always there, because it needs no setting. */
  readonly push: Push
  readonly jobs: DailyJobs
  readonly #channels: readonly DeliveryChannel[]
  readonly #worker: Worker
  readonly #mail: OwnerMail | undefined
  readonly #log: Log
  readonly #codeTimeout: () => AbortSignal

  /** Throws if a setting of a channel is wrong. */
  static open(parts: NotifierParts): Notifier {
    const notifier = new Notifier(parts)
    parts.store.onDue(() => notifier.wake())
    return notifier
  }

  private constructor(parts: NotifierParts) {
    const { settings, log, now } = parts
    const { random = Math.random, variable = (name) => readEnvironment()[name] } = parts
    const plans = planChannels(settings, parts.business)
    const push = new Push(parts, parts.pushServices)
    const channels = [...openChannels({ ...parts, plans, variable }), push]
    const namesOf = (some: typeof plans) => some.map(({ name }) => name)
    const told = tellingOf((kind) => [
      ...namesOf(plans.filter(({ wants }) => wants(kind))),
      ...(isPushed(kind) ? [pushChannel] : []),
    ])
    const ofVisits = plans.filter((plan) => plan.way === 'sender-mail' && plan.visits)
    const tell = { ...told, 'lead.visit': namesOf(ofVisits) }
    const reportFailure = reportOnceAMinute(log.error, now)
    if (plans.length === 0) {
      log.warn('delivery.no-channel', {
        note: 'Neither SMTP_URL nor a webhook is set: leads are kept, but only phones that a member added in the inbox are notified.',
      })
    }
    this.names = namesOf(plans)
    this.tell = tell
    this.push = push
    this.#channels = channels
    this.#log = log
    this.#codeTimeout = () => AbortSignal.timeout(parts.timeoutMs ?? codePatienceMs)
    this.#mail = channels.find((channel) => channel instanceof OwnerMail)
    this.#worker = new Worker({ ...parts, channels, tell, reportFailure, random })
    this.jobs = new DailyJobs({ ...parts, tell, reportFailure, wake: () => this.wake() })
  }

  /** Sends the deliveries that an earlier run left, and starts the daily jobs. */
  start(): void {
    this.jobs.start()
    this.wake()
  }

  get mailsCodes(): boolean {
    return this.#mail !== undefined
  }

  /** Mails a member a code for the inbox. Returns false if mailing failed, or if no mail server is set. */
  async mailCode(code: string, to: string): Promise<boolean> {
    const sent = await this.#mail?.sendCode({ code, to }, this.#codeTimeout())
    return sent?.kind === 'delivered'
  }

  /** Tells a new member by mail that he may open the inbox. A failure is only logged. */
  async invite(by: string, to: string): Promise<void> {
    const sent = await this.#mail?.invite({ by, to }, this.#codeTimeout())
    if (sent && sent.kind !== 'delivered')
      this.#log.warn('inbox.invitation-not-sent', { answer: sent.answer })
  }

  wake(): void {
    this.#worker.wake()
  }

  /** Resolves when no delivery is being sent. */
  settled(): Promise<void> {
    return this.#worker.settled()
  }

  /** Waits up to `patienceMs` for deliveries that are being sent, then aborts them. */
  async stop(patienceMs = stopPatienceMs): Promise<void> {
    await this.jobs.stop()
    await this.#worker.stop(patienceMs)
    for (const channel of this.#channels) channel.close()
  }
}
