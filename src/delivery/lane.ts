/**
 * Sends the deliveries of one channel: leases a few at a time, oldest first, and sends them side by
 * side. A commit wakes it, or a timer at the next due time and after 30 seconds at the latest, because
 * another process may have added a delivery. Each channel has its own lane, so that a dead one delays
 * no other.
 */
import { secondMs } from '../durations.ts'
import type { ReportFailure } from '../log.ts'
import type { Leased } from '../store/delivery-rows.ts'
import type { Store } from '../store/store.ts'
import { attemptDelivery, giveBack, markAttempt } from './attempt.ts'
import type { AttemptParts } from './attempt.ts'
import type { DeliveryChannel } from './channel.ts'
import { ChannelHealth } from './health.ts'

export type LaneParts = AttemptParts & {
  store: Pick<Store, 'leaseDeliveries' | 'nextDue' | 'retryPutOff'>
  reportFailure: ReportFailure
  lookAroundMs?: number
}

/** Beyond the time that a channel allows, for reading and marking. */
const leaseSlackMs = 30 * secondMs
/** Another process may have added something: a second node, or the operator's command. */
const usualLookAroundMs = 30 * secondMs
const storeTroubleMs = 5 * secondMs
const retriedTogether = 500

export class Lane {
  readonly #parts: LaneParts
  readonly #channel: DeliveryChannel
  readonly #health = new ChannelHealth()
  readonly #underWay = new Map<Promise<void>, AbortController>()
  #looking: Promise<void> | undefined
  #lookAgain = false
  #stopped = false
  #timer: NodeJS.Timeout | undefined

  constructor(parts: LaneParts, channel: DeliveryChannel) {
    this.#parts = parts
    this.#channel = channel
  }

  /** Something may be due: a lead was committed, or a time has come. */
  wake(): void {
    if (this.#stopped) return
    this.#lookAgain = true
    this.#looking ??= this.#look()
      .catch((error: unknown) => this.#storeTrouble(error))
      .finally(() => {
        this.#looking = undefined
        // Woken after the last look, before it was over.
        if (this.#lookAgain) this.wake()
      })
  }

  get isBusy(): boolean {
    return this.#looking !== undefined || this.#underWay.size > 0
  }

  /** Resolves when nothing is under way. */
  async settled(): Promise<void> {
    while (this.isBusy) {
      await this.#looking
      await Promise.all(this.#underWay.keys())
    }
  }

  /** What is under way may end by itself for so long; then it is given back. */
  async stop(patienceMs: number): Promise<void> {
    this.#stopped = true
    clearTimeout(this.#timer)
    const impatience = setTimeout(() => {
      for (const giveUp of this.#underWay.values()) giveUp.abort('stopping')
    }, patienceMs)
    await this.settled()
    clearTimeout(impatience)
  }

  async #look(): Promise<void> {
    while (this.#lookAgain) {
      this.#lookAgain = false
      await this.#lookOnce()
    }
  }

  async #lookOnce(): Promise<void> {
    const { store, now } = this.#parts
    const { name, atOnce, timeoutMs } = this.#channel
    const free = (this.#health.isDown ? 1 : atOnce) - this.#underWay.size
    // Each delivery wakes the lane when it ends.
    if (this.#stopped || free <= 0) return
    const restMs = this.#health.restLeftMs(now())
    if (restMs > 0) return this.#wakeAt(now() + restMs)
    const dueAt = (await store.nextDue(name)) ?? Number.POSITIVE_INFINITY
    if (dueAt > now()) return this.#wakeAt(dueAt)
    const leaseUntil = now() + timeoutMs + leaseSlackMs
    const leased = await store.leaseDeliveries({
      channel: name,
      now: now(),
      leaseUntil,
      limit: free,
    })
    // Another node was faster; it may vanish before it has sent them.
    if (leased.length === 0) return this.#wakeAt(Number.POSITIVE_INFINITY)
    if (this.#stopped) await Promise.all(leased.map((each) => giveBack(this.#parts, each)))
    else for (const each of leased) this.#start(each)
    this.#lookAgain = true
  }

  #wakeAt(at: number): void {
    clearTimeout(this.#timer)
    if (this.#stopped) return
    const { now, lookAroundMs = usualLookAroundMs } = this.#parts
    const waitMs = Math.max(0, Math.min(at - now(), lookAroundMs))
    this.#timer = setTimeout(() => this.wake(), waitMs).unref()
  }

  #start(leased: Leased): void {
    const giveUp = new AbortController()
    const delivering = this.#deliver(leased, giveUp)
      // It is tried again when its lease ends.
      .catch((error: unknown) => this.#storeTrouble(error))
      .finally(() => {
        this.#underWay.delete(delivering)
        this.wake()
      })
    this.#underWay.set(delivering, giveUp)
  }

  async #deliver(leased: Leased, giveUp: AbortController): Promise<void> {
    const attempt = await attemptDelivery(this.#parts, this.#channel, leased, giveUp)
    const { sent } = attempt
    if (sent.kind !== 'delivered' && giveUp.signal.reason === 'stopping') {
      return giveBack(this.#parts, leased)
    }
    this.#health.note(sent, this.#parts.now())
    await markAttempt(this.#parts, leased, attempt)
    if (this.#health.isBackWith(sent)) await this.#retryPutOff()
  }

  /** In slices, so that no lead waits behind one long statement. */
  async #retryPutOff(): Promise<void> {
    const { store } = this.#parts
    const { name } = this.#channel
    while ((await store.retryPutOff(name, retriedTogether)) === retriedTogether);
  }

  #storeTrouble(error: unknown): void {
    this.#parts.reportFailure('delivery.store', error)
    this.#wakeAt(this.#parts.now() + storeTroubleMs)
  }
}
