/**
 * Past so many letters an hour, leads are told of in one digest every ten minutes, so that a flood
 * does not use up what the mail account may send. The database counts: for all nodes, and after a
 * restart.
 */
import { hourMs } from '../durations.ts'
import { toDeliveryId } from '../store/delivery-id.ts'
import type { Leased, NewDelivery } from '../store/delivery-rows.ts'
import type { Store } from '../store/store.ts'
import type { DeliveryChannel, Sent } from './channel.ts'
import { gatherMs } from './schedule.ts'

/** What becomes of a delivery that would be one letter too many; `undefined`: it may go out. */
export type PastLimit = (channel: DeliveryChannel, leased: Leased) => Promise<Sent | undefined>

export function createPastLimit(
  store: Pick<Store, 'countLetters' | 'findDigest'>,
  now: () => number,
): PastLimit {
  return async ({ name, letters }, leased) => {
    // Digests and alarms are few.
    if (letters === undefined || !leased.kind.startsWith('lead.')) return undefined
    const { perHour, past } = letters
    const at = now()
    const time = { since: at - hourMs, now: at }
    const isTooMany = (await store.countLetters(leased, time, perHour + 1)) > perHour
    if (isTooMany && past === 'dropped') return { kind: 'dropped', answer: 'too many letters' }
    if (!isTooMany && leased.kind === 'lead.received') return undefined
    const digest = await store.findDigest(name)
    // While a digest waits, what came later about one of its leads does not overtake it.
    if (!isTooMany && digest === undefined) return undefined
    // One that was tried may have arrived. It keeps what it says, because a mailbox shows the same
    // Message-ID once.
    const into = digest && !digest.tried ? toDigest(name, digest) : nextDigest(name, at)
    return { kind: 'gathered', answer: '', into }
  }
}

function nextDigest(channel: string, at: number): NewDelivery {
  const from = Math.floor(at / gatherMs) * gatherMs
  return toDigest(channel, {
    id: toDeliveryId(`gathered-${from}`, channel),
    dueAt: from + gatherMs,
  })
}

function toDigest(channel: string, { id, dueAt }: { id: string; dueAt: number }): NewDelivery {
  return { id, leadId: '', channel, kind: 'leads.gathered', about: '', dueAt }
}
