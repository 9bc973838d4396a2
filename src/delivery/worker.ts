/**
 * For each channel, the worker leases a few due deliveries, sends them at the same time and records
 * each outcome. Each channel has its own limit (`atOnce`), so that a dead channel delays no other.
 * A commit wakes the worker, or a timer when the next delivery is due.
 */
import { longestDelayMs, retryDelaysMs } from '../contract/notices.ts'
import type { VisitEmail } from '../contract/visit.ts'
import { errorFacts, type Log, type ReportFailure } from '../log.ts'
import { aboutDead, aboutSpan } from '../store/deliveries/about.ts'
import type { Ending } from '../store/deliveries/deliveries.ts'
import { toMessageId, type Delivery, type NewDelivery } from '../store/deliveries/rows.ts'
import type { Store } from '../store/store.ts'
import { hourMs, minuteMs, secondMs } from '../time.ts'
import { mostEmailsPerHour, outcomeOf, type DeliveryChannel, type Sent } from './channel.ts'
import { toEach, type DatedNotice } from './notice.ts'
import { readNotice, sortOf } from './notices.ts'
import type { OpeningHours } from './workday.ts'

export type WorkerParts = {
  store: Store
  business: OpeningHours
  channels: readonly DeliveryChannel[]
  log: Log
  reportFailure: ReportFailure
  now: () => number
  random: () => number
  timeoutMs?: number | undefined
  emailsPerHour?: number | undefined
}

/** A lease is longer than the timeout by this, because the notice is read and the outcome recorded, too. */
const leaseSlackMs = 30 * secondMs
/** The longest wait between two rounds, because other processes add deliveries without waking this worker. */
const pollMs = 30 * secondMs
const storeTroubleMs = 5 * secondMs
/** The wait before a retry varies by this share, so that deliveries that failed together spread out. */
const jitter = 0.2
/** The least wait after a timeout, because the email may have arrived, and each retry is then a copy. */
const afterTimeoutMs = 5 * minuteMs
/** One alarm reports all deliveries of a channel that die between, for example, 9:10 and 9:20. */
const alarmMs = 10 * minuteMs

type UnderWay = { channel: DeliveryChannel; giveUp: AbortController }

export class Worker {
  readonly #parts: WorkerParts
  readonly #underWay = new Map<Promise<void>, UnderWay>()
  #leasing: Promise<void> | undefined
  #leaseAgain = false
  #stopped = false
  #timer: NodeJS.Timeout | undefined

  constructor(parts: WorkerParts) {
    this.#parts = parts
  }

  wake(): void {
    if (this.#stopped) return
    this.#leaseAgain = true
    this.#leasing ??= this.#leaseDue()
      .catch((error: unknown) => this.#storeTrouble(error))
      .finally(() => {
        this.#leasing = undefined
        // `wake` was called while `#leaseDue` was ending.
        if (this.#leaseAgain) this.wake()
      })
  }

  async settled(): Promise<void> {
    while (this.#leasing !== undefined || this.#underWay.size > 0) {
      await this.#leasing
      await Promise.all(this.#underWay.keys())
    }
  }

  /** Waits up to `patienceMs` for running sends, then aborts them and releases their leases. */
  async stop(patienceMs: number): Promise<void> {
    this.#stopped = true
    clearTimeout(this.#timer)
    const impatience = setTimeout(() => {
      for (const { giveUp } of this.#underWay.values()) giveUp.abort('stopping')
    }, patienceMs)
    await this.settled()
    clearTimeout(impatience)
  }

  async #leaseDue(): Promise<void> {
    while (this.#leaseAgain && !this.#stopped) {
      this.#leaseAgain = false
      const { channels } = this.#parts
      const nextAts = await Promise.all(channels.map((channel) => this.#leaseFor(channel)))
      if (!this.#leaseAgain) this.#wakeAt(Math.min(...nextAts))
    }
  }

  /** Returns when the next delivery is due, or infinity if `channel` needs no timer. */
  async #leaseFor(channel: DeliveryChannel): Promise<number> {
    const { store, now } = this.#parts
    const { name, atOnce, timeoutMs } = channel
    const sending = [...this.#underWay.values()].filter((each) => each.channel === channel)
    const limit = atOnce - sending.length
    if (limit <= 0 || this.#stopped) return Number.POSITIVE_INFINITY
    const dueAt = (await store.deliveries.nextDue(name, now())) ?? Number.POSITIVE_INFINITY
    if (dueAt > now()) return dueAt
    const leaseUntil = now() + timeoutMs + leaseSlackMs
    const lease = { channel: name, now: now(), leaseUntil, limit }
    const leased = await store.deliveries.lease(lease)
    for (const each of leased) this.#start(channel, each)
    // If none was leased, another node has leased what was due: the next poll is enough.
    if (leased.length > 0) this.#leaseAgain = true
    return Number.POSITIVE_INFINITY
  }

  #wakeAt(at: number): void {
    clearTimeout(this.#timer)
    if (this.#stopped) return
    const waitMs = Math.max(0, Math.min(at - this.#parts.now(), pollMs))
    this.#timer = setTimeout(() => this.wake(), waitMs).unref()
  }

  #storeTrouble(error: unknown): void {
    this.#parts.reportFailure('delivery.store', error)
    this.#wakeAt(this.#parts.now() + storeTroubleMs)
  }

  #start(channel: DeliveryChannel, leased: Delivery): void {
    const giveUp = new AbortController()
    const delivering = this.#deliver(channel, leased, giveUp)
      // The store failed. The delivery is tried again when its lease expires.
      .catch((error: unknown) => this.#storeTrouble(error))
      .finally(() => {
        this.#underWay.delete(delivering)
        this.wake()
      })
    this.#underWay.set(delivering, { channel, giveUp })
  }

  async #deliver(
    channel: DeliveryChannel,
    leased: Delivery,
    giveUp: AbortController,
  ): Promise<void> {
    const { store, now, business } = this.#parts
    if (this.#stopped) {
      return store.deliveries.finish(leased, { ending: { kind: 'untried' }, at: now() })
    }
    const at = now()
    const startedAt = performance.now()
    const reading = { store, delivery: leased, now: at, opening: business }
    const notice = await readNotice(reading)
    const { aboveLimit } = channel
    if (notice && aboveLimit && (await this.#isAboveLimit(leased))) {
      return this.#leaveOut(leased, aboveLimit)
    }
    const sent = await this.#send(channel, leased, notice, giveUp)
    if (sent.kind !== 'delivered' && giveUp.signal.reason === 'stopping') {
      // The message may have arrived all the same. Sending it twice is better than not at all.
      return store.deliveries.finish(leased, { ending: { kind: 'untried' }, at: now() })
    }
    const ms = Math.round(performance.now() - startedAt)
    const said = notice?.notice.kind === 'lead.visit' ? notice.notice.said : undefined
    await this.#mark(leased, sent, { at, ms, said })
  }

  async #send(
    channel: DeliveryChannel,
    leased: Delivery,
    notice: DatedNotice | undefined,
    giveUp: AbortController,
  ): Promise<Sent> {
    // `attempts` also counts sends that never ended: this delivery may crash the process.
    if (leased.attempts > mostTries) return { kind: 'refused', answer: 'never ended' }
    if (notice === undefined) return { kind: 'dropped', answer: 'nothing left to say' }
    const { log, timeoutMs = channel.timeoutMs } = this.#parts
    const deadline = setTimeout(() => giveUp.abort('timed-out'), timeoutMs)
    try {
      const message = { id: toMessageId(leased), deliveryId: leased.id, ...notice }
      return await channel.send(message, giveUp.signal)
    } catch (error) {
      // A bug of ours must not stop the worker.
      log.error('delivery.fault', { delivery: leased.id, ...errorFacts(error) })
      return { kind: 'failed', outcome: 'failed', answer: 'fault' }
    } finally {
      clearTimeout(deadline)
    }
  }

  async #mark(
    leased: Delivery,
    sent: Sent,
    { at, ms, said }: { at: number; ms: number; said: VisitEmail | undefined },
  ): Promise<void> {
    const { store, log, now } = this.#parts
    const ending = this.#endingOf(leased, sent)
    const note = { at, outcome: outcomeOf(sent), answer: sent.answer, ms }
    const facts = { delivery: leased.id, attempt: leased.attempts, ...note }
    if (ending.kind === 'dead') log.error('delivery.dead', facts)
    else if (ending.kind === 'again') log.warn('delivery.failed', facts)
    else log.info(`delivery.${ending.kind}`, facts)
    const then = ending.kind === 'dead' ? this.#alarmAbout(leased) : []
    await store.deliveries.finish(leased, { ending, at: now(), note, said }, then)
  }

  #endingOf({ attempts }: Delivery, sent: Sent): Ending {
    if (sent.kind === 'delivered' || sent.kind === 'dropped') return { kind: sent.kind }
    const delay = retryDelaysMs[attempts - 1]
    if (sent.kind === 'refused' || delay === undefined) return { kind: 'dead' }
    const { now, random } = this.#parts
    const spread = Math.round(delay * (1 + jitter * (2 * random() - 1)))
    const asked = Math.min(sent.retryAfterMs ?? 0, longestDelayMs)
    const least = sent.outcome === 'timed-out' ? afterTimeoutMs : 0
    return { kind: 'again', dueAt: now() + Math.max(spread, asked, least) }
  }

  /** Emails are counted in the database, so that all nodes share the limit. */
  async #isAboveLimit(leased: Delivery): Promise<boolean> {
    if (sortOf(leased.kind) !== 'request') return false
    const { store, now, emailsPerHour = mostEmailsPerHour } = this.#parts
    const time = { since: now() - hourMs, now: now() }
    return (await store.deliveries.countEmails(leased, time)) > emailsPerHour
  }

  /** `gathered`: one email in each hour counts the leads that got no email of their own. */
  async #leaveOut(leased: Delivery, kind: 'gathered' | 'dropped'): Promise<void> {
    const { store, log, now } = this.#parts
    const at = now()
    const from = Math.floor(at / hourMs) * hourMs
    const span = { from, before: from + hourMs }
    const about = aboutSpan.write(span)
    const name = `gathered-${from}`
    const more = { name, kind: 'leads.gathered', about, dueAt: span.before } as const
    log.info(`delivery.${kind}`, { delivery: leased.id, answer: 'too many emails' })
    const then = kind === 'gathered' ? toEach([leased.channel], more) : []
    await store.deliveries.finish(leased, { ending: { kind }, at }, then)
  }

  #alarmAbout({ channel: dead, kind }: Delivery): NewDelivery[] {
    // An alarm that dies causes no alarm, or two dead channels would report each other forever.
    if (sortOf(kind) === 'alarm') return []
    const { store, now } = this.#parts
    const from = Math.floor(now() / alarmMs) * alarmMs
    const span = { from, before: from + alarmMs }
    const others = store.recipients['delivery.dead'].filter((channel) => channel !== dead)
    const about = aboutDead.write({ channel: dead, span })
    const name = `dead-${dead}-${from}`
    return toEach(others, { name, kind: 'delivery.dead', about, dueAt: span.before })
  }
}

const mostTries = retryDelaysMs.length + 1
