/** The rate limits of clients: of requests, leads, held bytes and photos. Each node counts on its own. */
import { hardLimit, heldLimit, photoLimit, siteFactor, softLimit } from '../contract/limits.ts'
import { toSite, type ClientAddress } from '../http/client-address.ts'
import { secondsTo, WindowCounter } from '../window-counter.ts'

export type Quota = { limit: number; windowS: number; remaining: number; resetS: number }

/** `quota` is `undefined` for a client that is never limited. */
export type CountedRequest =
  | { limited: true; quota: Quota }
  | { limited: false; quota: Quota | undefined }

export type LimitNumbers = { soft: number; hard: number }

export class Limits {
  readonly #numbers: LimitNumbers | undefined
  readonly #requests = new NetworkCounter(hardLimit.windowMs)
  readonly #leads = new NetworkCounter(softLimit.windowMs)
  readonly #held = new NetworkCounter(heldLimit.windowMs)
  readonly #photos = new NetworkCounter(photoLimit.windowMs)

  constructor(numbers: LimitNumbers | 'off') {
    this.#numbers = numbers === 'off' ? undefined : numbers
  }

  countRequest({ network, local }: ClientAddress, nowMs: number): CountedRequest {
    if (local || this.#numbers === undefined) return { limited: false, quota: undefined }
    const { hard } = this.#numbers
    const { left, endsAt } = this.#requests.count(network, 1, hard, nowMs)
    const quota = {
      limit: hard,
      windowS: hardLimit.windowMs / 1000,
      remaining: Math.max(0, left),
      resetS: secondsTo(endsAt, nowMs),
    }
    return { limited: left < 0, quota }
  }

  countLead({ network, local }: ClientAddress, nowMs: number): boolean {
    if (local || this.#numbers === undefined) return false
    return this.#leads.count(network, 1, this.#numbers.soft, nowMs).left < 0
  }

  /** Returns the seconds to wait, or `undefined` if the client is not above the limit. */
  countHeld({ network, local }: ClientAddress, bytes: number, nowMs: number): number | undefined {
    if (local || this.#numbers === undefined) return undefined
    const { left, endsAt } = this.#held.count(network, bytes, heldLimit.bytes, nowMs)
    return left < 0 ? secondsTo(endsAt, nowMs) : undefined
  }

  /** Returns the seconds to wait, or `undefined` if the client is not above the limit. */
  countPhoto({ network, local }: ClientAddress, nowMs: number): number | undefined {
    if (local || this.#numbers === undefined) return undefined
    const { left, endsAt } = this.#photos.count(network, 1, photoLimit.photos, nowMs)
    return left < 0 ? secondsTo(endsAt, nowMs) : undefined
  }

  uncountLead({ network, local }: ClientAddress, heldBytes: number, countedAt: number): void {
    if (local || this.#numbers === undefined) return
    this.#leads.uncount(network, 1, this.#numbers.soft, countedAt)
    this.#held.uncount(network, heldBytes, heldLimit.bytes, countedAt)
  }
}

/** Counts a network and, for IPv6, its /48. */
class NetworkCounter {
  readonly #networks: WindowCounter
  readonly #sites: WindowCounter

  constructor(windowMs: number) {
    this.#networks = new WindowCounter(windowMs)
    this.#sites = new WindowCounter(windowMs)
  }

  /** `left`: how much is left of the limit, below 0 if the network or its /48 is above. */
  count(network: string, amount: number, limit: number, nowMs: number): Left {
    const own = this.#networks.count(network, amount, nowMs)
    const ofNetwork = { left: limit - own.count, endsAt: own.endsAt }
    const site = toSite(network)
    if (site === network) return ofNetwork
    const added = addedToSite(own.count, amount, limit)
    const all = this.#sites.count(site, added, nowMs)
    const ofSite = { left: limit * siteFactor - all.count, endsAt: all.endsAt }
    return ofSite.left < 0 && ofNetwork.left >= 0 ? ofSite : ofNetwork
  }

  uncount(network: string, amount: number, limit: number, countedAt: number): void {
    const own = this.#networks.uncount(network, amount, countedAt)
    const site = toSite(network)
    if (own === undefined || site === network) return
    const added = addedToSite(own.count + amount, amount, limit)
    this.#sites.uncount(site, added, countedAt)
  }
}

type Left = { left: number; endsAt: number }

/** A network adds no more than its own limit, so that it does not use up that of its neighbours. */
function addedToSite(count: number, amount: number, limit: number): number {
  return Math.min(count, limit) - Math.min(count - amount, limit)
}
