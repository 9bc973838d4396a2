/** How many leads came from one network lately. In memory, bounded, forgotten at a restart; nodes tell each other. */
import { hash } from 'node:crypto'
import { hardLimit, softLimit } from '../contract/limits.ts'
import type { ClientAddress } from '../http/client-address.ts'
import { createRecent } from '../store/recent.ts'
import type { ShareUsage } from '../store/usage.ts'

/** `undefined` stands for a client that is never limited. */
export type Quota = { limit: number; windowS: number; remaining: number; resetS: number }

export type Limits = {
  /** Counts one request. */
  countRequest(
    address: ClientAddress,
    nowMs: number,
  ): { limited: boolean; quota: Quota | undefined }
  /** Counts one lead; says whether it is past what is taken without a look. */
  countLead(address: ClientAddress, nowMs: number): boolean
  /** Tells other nodes of the networks that sent more than once, and learns what they have counted. */
  exchange(
    share: ShareUsage,
    self: { node: string; addressKey: string },
    nowMs: number,
  ): Promise<void>
}

export type LimitNumbers = { soft: number; hard: number }

export function createLimits(numbers: LimitNumbers | 'off'): Limits {
  if (numbers === 'off') {
    return {
      countRequest: () => ({ limited: false, quota: undefined }),
      countLead: () => false,
      exchange: () => Promise.resolve(),
    }
  }
  const requests = createCounter(hardLimit.windowMs)
  const leads = createCounter(softLimit.windowMs)
  return {
    countRequest(address, nowMs) {
      const { count, elsewhere, endsAt } = requests.count(address.network, nowMs)
      if (address.local) return { limited: false, quota: undefined }
      const quota = {
        limit: numbers.hard,
        windowS: hardLimit.windowMs / 1000,
        remaining: Math.max(0, numbers.hard - count - elsewhere),
        resetS: Math.ceil((endsAt - nowMs) / 1000),
      }
      return { limited: count + elsewhere > numbers.hard, quota }
    },
    countLead(address, nowMs) {
      const { count, elsewhere } = leads.count(address.network, nowMs)
      return count + elsewhere > numbers.soft && !address.local
    },
    async exchange(share, { node, addressKey }, nowMs) {
      const busy = Object.entries({ requests, leads }).flatMap(([limit, counter]) =>
        counter.takeBusy(nowMs).map(({ network, window }) => ({
          limit,
          network: hash('sha256', `${addressKey} usage ${network}`, 'base64url').slice(0, 22),
          amount: window.count,
          endsAt: window.endsAt,
          window,
        })),
      )
      const told = await share(node, busy, nowMs)
      const amounts = new Map(told.map(({ limit, network, amount }) => [limit + network, amount]))
      for (const { limit, network, window } of busy) {
        window.elsewhere = amounts.get(limit + network) ?? 0
      }
    },
  }
}

/** `elsewhere`: what other nodes had counted when they last told. */
type Window = { count: number; elsewhere: number; endsAt: number }

type Counter = {
  count(network: string, nowMs: number): Window
  /** Those that sent more than once and have sent again since the last time, the busiest first. */
  takeBusy(nowMs: number): { network: string; window: Window }[]
}

const mostNetworks = 50_000
/** In a flood from everywhere the busiest count. */
const mostShared = 200

/** A window opens with a network's first request and closes after its time. Of too many networks, those whose window opened first are forgotten. */
function createCounter(windowMs: number): Counter {
  const windows = createRecent<string, Window>(mostNetworks)
  const busy = new Map<string, Window>()
  return {
    count(network, nowMs) {
      const open = windows.get(network)
      if (open !== undefined && open.endsAt > nowMs && open.endsAt - nowMs <= windowMs) {
        open.count += 1
        if (busy.size < mostNetworks) busy.set(network, open)
        return open
      }
      const fresh = { count: 1, elsewhere: 0, endsAt: nowMs + windowMs }
      windows.set(network, fresh)
      return fresh
    },
    takeBusy(nowMs) {
      const found = [...busy].map(([network, window]) => ({ network, window }))
      busy.clear()
      return found
        .filter(({ window }) => window.endsAt > nowMs)
        .sort((one, other) => other.window.count - one.window.count)
        .slice(0, mostShared)
    },
  }
}
