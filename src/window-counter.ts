/** Counts for each key in windows of time, in bounded memory: for rate limits. */
import { hash } from 'node:crypto'

type Window = { count: number; endsAt: number }

const mostYoung = 50_000

/** The window of a key opens with its first count. */
export class WindowCounter {
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
  uncount(key: string, amount: number, countedAt: number): Window | undefined {
    const open = this.#find(toName(key), countedAt)
    if (open !== undefined) open.count -= amount
    return open
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

export function secondsTo(endsAt: number, nowMs: number): number {
  return Math.ceil((endsAt - nowMs) / 1000)
}

/** A hash takes the same memory for every key. A client chooses how long a key is. */
function toName(key: string): string {
  return hash('sha256', key, 'base64url')
}
