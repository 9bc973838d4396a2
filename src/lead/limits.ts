/** Each node counts on its own, in bounded memory. */
import { hash } from 'node:crypto'
import { hardLimit, heldLimit, softLimit } from '../contract/limits.ts'
import type { ClientAddress } from '../http/client-address.ts'

export type Quota = { limit: number; windowS: number; remaining: number; resetS: number }

/** `quota` is `undefined` for a client that is never limited. */
export type CountedRequest =
  | { limited: true; quota: Quota }
  | { limited: false; quota: Quota | undefined }

export type LimitNumbers = { soft: number; hard: number }

export class Limits {
  readonly #numbers: LimitNumbers | undefined
  readonly #requests = new Counter(hardLimit.windowMs)
  readonly #leads = new Counter(softLimit.windowMs)
  readonly #held = new Counter(heldLimit.windowMs)

  constructor(numbers: LimitNumbers | 'off') {
    this.#numbers = numbers === 'off' ? undefined : numbers
  }

  countRequest({ network, local }: ClientAddress, nowMs: number): CountedRequest {
    const { count, endsAt } = this.#requests.count(network, 1, nowMs)
    if (local || this.#numbers === undefined) return { limited: false, quota: undefined }
    const { hard } = this.#numbers
    const quota = {
      limit: hard,
      windowS: hardLimit.windowMs / 1000,
      remaining: Math.max(0, hard - count),
      resetS: secondsTo(endsAt, nowMs),
    }
    return { limited: count > hard, quota }
  }

  countLead({ network, local }: ClientAddress, nowMs: number): boolean {
    const { count } = this.#leads.count(network, 1, nowMs)
    return !local && this.#numbers !== undefined && count > this.#numbers.soft
  }

  /** Returns the seconds to wait, or `undefined` if the client is not above the limit. */
  countHeld({ network, local }: ClientAddress, bytes: number, nowMs: number): number | undefined {
    const { count, endsAt } = this.#held.count(network, bytes, nowMs)
    const isLimited = !local && this.#numbers !== undefined && count > heldLimit.bytes
    return isLimited ? secondsTo(endsAt, nowMs) : undefined
  }

  uncountLead({ network }: ClientAddress, heldBytes: number, countedAt: number): void {
    this.#leads.uncount(network, 1, countedAt)
    this.#held.uncount(network, heldBytes, countedAt)
  }
}

export function secondsTo(endsAt: number, nowMs: number): number {
  return Math.ceil((endsAt - nowMs) / 1000)
}

type Window = { count: number; endsAt: number }

const mostYoung = 50_000

/** The window of a key opens with its first count. */
export class Counter {
  readonly #windowMs: number
  /** The windows that opened since `#youngSince`. All windows in `#old` opened before. */
  #young = new Map<string, Window>()
  #old = new Map<string, Window>()
  #youngSince = 0

  constructor(windowMs: number) {
    this.#windowMs = windowMs
  }

  count(key: string, amount: number, nowMs: number): Window {
    const name = toName(key)
    let open = this.#find(name, nowMs)
    if (open === undefined) {
      this.#forget(nowMs)
      open = { count: 0, endsAt: nowMs + this.#windowMs }
      this.#young.set(name, open)
    }
    open.count += amount
    return open
  }

  /** Subtracts `amount`, unless a new window has opened since `countedAt`. */
  uncount(key: string, amount: number, countedAt: number): void {
    const open = this.#find(toName(key), countedAt)
    if (open !== undefined) open.count -= amount
  }

  /** Ignores a window that opened after `nowMs`, for example before the clock was set back. */
  #find(name: string, nowMs: number): Window | undefined {
    const open = this.#young.get(name) ?? this.#old.get(name)
    const leftMs = open === undefined ? 0 : open.endsAt - nowMs
    return leftMs > 0 && leftMs <= this.#windowMs ? open : undefined
  }

  /** Drops whole Maps, because a Map gets slower with every key that is deleted. */
  #forget(nowMs: number): void {
    // The clock may have been set back.
    this.#youngSince = Math.min(this.#youngSince, nowMs)
    const youngMs = nowMs - this.#youngSince
    if (youngMs < this.#windowMs && this.#young.size < mostYoung) return
    // The windows in `#old` have ended after one window, and those in `#young` after two.
    this.#old = youngMs < 2 * this.#windowMs ? this.#young : new Map()
    this.#young = new Map()
    this.#youngSince = nowMs
  }
}

/** A hash takes the same memory for every key. A client chooses how long a key is. */
function toName(key: string): string {
  return hash('sha256', key, 'base64url')
}
