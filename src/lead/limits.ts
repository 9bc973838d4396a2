/** Counts requests and leads per client network. In memory and bounded; each node counts for itself. */
import { hardLimit, heldLimit, softLimit } from '../contract/limits.ts'
import type { ClientAddress } from '../http/client-address.ts'
import { createRecent } from '../recent.ts'

/** `undefined` stands for a client that is never limited. */
export type Quota = { limit: number; windowS: number; remaining: number; resetS: number }

export type Limits = {
  /** Counts one POST. */
  countRequest(address: ClientAddress, nowMs: number): CountedRequest
  /** Counts one lead; true past the soft limit. */
  countLead(address: ClientAddress, nowMs: number): boolean
  /** Counts the bytes of a held lead; past the limit, returns the seconds to wait. */
  countHeld(address: ClientAddress, bytes: number, nowMs: number): number | undefined
  /** Takes back what was counted at `countedAt`: the lead was not kept, or is a repeat. */
  uncountLead(address: ClientAddress, heldBytes: number, countedAt: number): void
}

export type CountedRequest =
  | { limited: true; quota: Quota }
  | { limited: false; quota: Quota | undefined }

export type LimitNumbers = { soft: number; hard: number }

export function createLimits(
  numbers: LimitNumbers | 'off',
  heldBytes: number = heldLimit.bytes,
): Limits {
  if (numbers === 'off') {
    return {
      countRequest: () => ({ limited: false, quota: undefined }),
      countLead: () => false,
      countHeld: () => undefined,
      uncountLead: () => {},
    }
  }
  const requests = createCounter(hardLimit.windowMs)
  const leads = createCounter(softLimit.windowMs)
  const held = createCounter(heldLimit.windowMs)
  return {
    countRequest(address, nowMs) {
      const { count, endsAt } = requests.count(address.network, 1, nowMs)
      if (address.local) return { limited: false, quota: undefined }
      const quota = {
        limit: numbers.hard,
        windowS: hardLimit.windowMs / 1000,
        remaining: Math.max(0, numbers.hard - count),
        resetS: secondsTo(endsAt, nowMs),
      }
      return { limited: count > numbers.hard, quota }
    },
    countLead(address, nowMs) {
      const { count } = leads.count(address.network, 1, nowMs)
      return count > numbers.soft && !address.local
    },
    countHeld(address, bytes, nowMs) {
      const { count, endsAt } = held.count(address.network, bytes, nowMs)
      return count > heldBytes && !address.local ? secondsTo(endsAt, nowMs) : undefined
    },
    uncountLead({ network }, bytes, countedAt) {
      leads.uncount(network, 1, countedAt)
      held.uncount(network, bytes, countedAt)
    },
  }
}

function secondsTo(endsAt: number, nowMs: number): number {
  return Math.ceil((endsAt - nowMs) / 1000)
}

type Window = { count: number; endsAt: number }

const maxNetworks = 50_000

/** A window opens with a network's first request. Past `maxNetworks` the oldest windows are dropped. */
function createCounter(windowMs: number) {
  const windows = createRecent<string, Window>(maxNetworks)
  return { count, uncount }

  /** The open window. */
  function find(network: string, nowMs: number): Window | undefined {
    const open = windows.get(network)
    if (open === undefined || open.endsAt <= nowMs) return undefined
    // One that ends too late was opened before the clock was set back.
    return open.endsAt - nowMs <= windowMs ? open : undefined
  }

  function count(network: string, amount: number, nowMs: number): Window {
    const open = find(network, nowMs)
    if (open !== undefined) {
      open.count += amount
      return open
    }
    const fresh = { count: amount, endsAt: nowMs + windowMs }
    windows.set(network, fresh)
    return fresh
  }

  /** Not in a window that opened later. */
  function uncount(network: string, amount: number, countedAt: number): void {
    const open = find(network, countedAt)
    if (open !== undefined) open.count -= amount
  }
}
