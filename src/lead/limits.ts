/** Counts requests and leads per client network. In memory and bounded; each node counts for itself. */
import { hardLimit, heldLimit, softLimit } from '../contract/limits.ts'
import type { ClientAddress } from '../http/client-address.ts'
import { createRecent } from '../recent.ts'

export type Quota = { limit: number; windowS: number; remaining: number; resetS: number }

/** No quota: a client that is never limited. */
export type CountedRequest =
  | { limited: true; quota: Quota }
  | { limited: false; quota: Quota | undefined }

export type LimitNumbers = { soft: number; hard: number }

const unlimited: LimitNumbers = { soft: Infinity, hard: Infinity }

export class Limits {
  readonly #numbers: LimitNumbers
  readonly #heldBytes: number
  readonly #requests = new Counter(hardLimit.windowMs)
  readonly #leads = new Counter(softLimit.windowMs)
  readonly #held = new Counter(heldLimit.windowMs)

  constructor(numbers: LimitNumbers | 'off', heldBytes: number = heldLimit.bytes) {
    this.#numbers = numbers === 'off' ? unlimited : numbers
    this.#heldBytes = numbers === 'off' ? Infinity : heldBytes
  }

  /** Counts one POST. */
  countRequest({ network, local }: ClientAddress, nowMs: number): CountedRequest {
    const { hard } = this.#numbers
    const { count, endsAt } = this.#requests.count(network, 1, nowMs)
    if (local || hard === Infinity) return { limited: false, quota: undefined }
    const quota = {
      limit: hard,
      windowS: hardLimit.windowMs / 1000,
      remaining: Math.max(0, hard - count),
      resetS: secondsTo(endsAt, nowMs),
    }
    return { limited: count > hard, quota }
  }

  /** Counts one lead; true past the soft limit. */
  countLead({ network, local }: ClientAddress, nowMs: number): boolean {
    const { count } = this.#leads.count(network, 1, nowMs)
    return count > this.#numbers.soft && !local
  }

  /** Counts the bytes of a held lead; past the limit, returns the seconds to wait. */
  countHeld({ network, local }: ClientAddress, bytes: number, nowMs: number): number | undefined {
    const { count, endsAt } = this.#held.count(network, bytes, nowMs)
    return count > this.#heldBytes && !local ? secondsTo(endsAt, nowMs) : undefined
  }

  /** Takes back what was counted at `countedAt`: the lead was not kept, or is a repeat. */
  uncountLead({ network }: ClientAddress, heldBytes: number, countedAt: number): void {
    this.#leads.uncount(network, 1, countedAt)
    this.#held.uncount(network, heldBytes, countedAt)
  }
}

function secondsTo(endsAt: number, nowMs: number): number {
  return Math.ceil((endsAt - nowMs) / 1000)
}

type Window = { count: number; endsAt: number }

const maxNetworks = 50_000

/** A window opens with a network's first request. Past `maxNetworks` the oldest windows are dropped. */
class Counter {
  readonly #windowMs: number
  readonly #windows = createRecent<string, Window>(maxNetworks)

  constructor(windowMs: number) {
    this.#windowMs = windowMs
  }

  count(network: string, amount: number, nowMs: number): Window {
    const open = this.#find(network, nowMs) ?? { count: 0, endsAt: nowMs + this.#windowMs }
    if (open.count === 0) this.#windows.set(network, open)
    open.count += amount
    return open
  }

  /** Not in a window that opened later. */
  uncount(network: string, amount: number, countedAt: number): void {
    const open = this.#find(network, countedAt)
    if (open !== undefined) open.count -= amount
  }

  /** The open window. One that ends too late was opened before the clock was set back. */
  #find(network: string, nowMs: number): Window | undefined {
    const open = this.#windows.get(network)
    const leftMs = open === undefined ? 0 : open.endsAt - nowMs
    return leftMs > 0 && leftMs <= this.#windowMs ? open : undefined
  }
}
