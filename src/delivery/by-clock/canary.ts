/**
 * The daily check: a test lead takes the same road as every other and goes out through every
 * channel. It is removed as soon as it is kept, so it is never counted as a lead; its deliveries
 * show whether it arrived.
 */
import type { Business } from '../../contract/business.ts'
import { fields } from '../../contract/fields.ts'
import type { FieldValues } from '../../contract/fields.ts'
import { noticeOf } from '../../contract/notices.ts'
import type { ChannelsFor } from '../../contract/notices.ts'
import { dayMs, hourMs } from '../../durations.ts'
import type { TakeLead } from '../../lead/take.ts'
import type { Log } from '../../log.ts'
import { aboutCanary } from '../../store/about.ts'
import type { Store } from '../../store/store.ts'
import { toEach } from '../channel-plan.ts'
import { localTime } from './hours.ts'

export type CanaryParts = {
  store: Pick<
    Store,
    'removeCanaries' | 'firstSince' | 'findOnce' | 'deliveriesOf' | 'addDeliveries'
  >
  takeLead: TakeLead
  channelsFor: ChannelsFor
  business: Business
  log: Log
  wake: () => void
  now: () => number
}

export type Canary = {
  send(): Promise<void>
  /** Once for each canary, when it has had an hour to arrive: logs that it did, or raises the alarm. */
  check(): Promise<void>
}

const arrivesWithinMs = hourMs
/** A canary that a crash left behind is no older than this. */
const strayMs = 3 * dayMs

export function createCanary(parts: CanaryParts): Canary {
  const { store, takeLead, channelsFor, business, log, now } = parts
  return { send, check }

  async function send(): Promise<void> {
    const at = now()
    const outcome = await takeLead(canaryFor(dateAt(at)))
    await store.removeCanaries(at - strayMs)
    if (outcome.kind !== 'accepted') return alarm(at, ['(not kept)'])
    await store.firstSince(sentId, at, { about: outcome.id, before: at + 1 })
    parts.wake()
  }

  async function check(): Promise<void> {
    const sent = await findLastCanary(store)
    if (sent === undefined || now() < sent.at + arrivesWithinMs) return
    const checked = await store.findOnce(checkedId)
    if ((checked?.at ?? 0) >= sent.at) return
    if (!(await store.firstSince(checkedId, now(), { before: sent.at }))) return
    // One that was kept in a spool has come in since.
    await store.removeCanaries(sent.at - strayMs)
    const arrived = (await store.deliveriesOf(sent.leadId)).filter(
      ({ outcome }) => outcome === 'delivered',
    )
    const missing = channelsFor(noticeOf('canary')).filter(
      (name) => !arrived.some(({ channel }) => channel === name),
    )
    if (missing.length === 0) log.info('canary.ok', { channels: arrived.length })
    else await alarm(sent.at, missing)
  }

  async function alarm(at: number, missing: readonly string[]): Promise<void> {
    log.error('canary.failed', { channels: missing.join(' ') })
    const date = dateAt(at)
    const others = channelsFor('canary.failed').filter((channel) => !missing.includes(channel))
    await store.addDeliveries(
      toEach(others, {
        name: `canary-failed-${date}`,
        kind: 'canary.failed',
        about: aboutCanary.write(date, missing),
        dueAt: now(),
      }),
    )
    parts.wake()
  }

  function dateAt(ms: number): string {
    return localTime(ms, business.timeZone).date
  }
}

const sentId = 'canary-sent'
const checkedId = 'canary-checked'

/** `undefined`: none was sent yet. */
export async function findLastCanary(
  store: Pick<Store, 'findOnce'>,
): Promise<{ at: number; leadId: string } | undefined> {
  const sent = await store.findOnce(sentId)
  return sent && { at: sent.at, leadId: sent.about }
}

/** Passes every check that a person's lead passes; the date makes it new each day. */
function canaryFor(date: string): Parameters<TakeLead>[0] {
  return {
    body: toBody({
      name: 'Daily check',
      email: 'canary@example.com',
      message: `Daily check of ${date}`,
    }),
    door: 'canary',
    dedup: { by: 'content' },
    address: { network: 'canary', local: true },
    userAgent: '',
    agent: '',
  }
}

function toBody(values: Partial<FieldValues>): Record<string, unknown> {
  return Object.fromEntries(fields.map(({ name, key }) => [name, values[key] ?? '']))
}
