/** Counts requests and leads per client network. In memory and bounded; each node counts for itself. */
import { hardLimit, softLimit } from '../contract/limits.ts'
import type { ClientAddress } from '../http/client-address.ts'
import { createRecent } from '../recent.ts'

/** `undefined` stands for a client that is never limited. */
export type Quota = { limit: number; windowS: number; remaining: number; resetS: number }

export type Limits = {
  /** Counts one request. */
  countRequest(address: ClientAddress, nowMs: number): CountedRequest
  /** Counts one lead; true past the soft limit. */
  countLead(address: ClientAddress, nowMs: number): boolean
}

export type CountedRequest =
  | { limited: true; quota: Quota }
  | { limited: false; quota: Quota | undefined }

export type LimitNumbers = { soft: number; hard: number }

export function createLimits(numbers: LimitNumbers | 'off'): Limits {
  if (numbers === 'off') {
    return {
      countRequest: () => ({ limited: false, quota: undefined }),
      countLead: () => false,
    }
  }
  const requests = createCounter(hardLimit.windowMs)
  const leads = createCounter(softLimit.windowMs)
  return {
    countRequest(address, nowMs) {
      const { count, endsAt } = requests.count(address.network, nowMs)
      if (address.local) return { limited: false, quota: undefined }
      const quota = {
        limit: numbers.hard,
        windowS: hardLimit.windowMs / 1000,
        remaining: Math.max(0, numbers.hard - count),
        resetS: Math.ceil((endsAt - nowMs) / 1000),
      }
      return { limited: count > numbers.hard, quota }
    },
    countLead(address, nowMs) {
      const { count } = leads.count(address.network, nowMs)
      return count > numbers.soft && !address.local
    },
  }
}

type Window = { count: number; endsAt: number }

const maxNetworks = 50_000

/** A window opens with a network's first request. Past `maxNetworks` the oldest windows are dropped. */
function createCounter(windowMs: number) {
  const windows = createRecent<string, Window>(maxNetworks)
  return {
    count(network: string, nowMs: number): Window {
      const open = windows.get(network)
      // A window that ends too late was opened before the clock was set back.
      if (open !== undefined && open.endsAt > nowMs && open.endsAt - nowMs <= windowMs) {
        open.count += 1
        return open
      }
      const fresh = { count: 1, endsAt: nowMs + windowMs }
      windows.set(network, fresh)
      return fresh
    },
  }
}
