/** Leads past the soft limit are held and told of in one letter, some minutes after the first of them. */
import type { ChannelsFor } from '../../contract/notices.ts'
import { softLimit } from '../../contract/limits.ts'
import type { KeptLead } from '../../lead/take.ts'
import { errorFacts } from '../../log.ts'
import type { Log } from '../../log.ts'
import type { Store } from '../../store/store.ts'
import { toEach } from '../channel-plan.ts'
import { writeSpan } from '../notice.ts'

export type FloodParts = { store: Pick<Store, 'addDeliveries'>; channelsFor: ChannelsFor; log: Log }

export function createFloodWatch({
  store,
  channelsFor,
  log,
}: FloodParts): (lead: KeptLead) => void {
  let toldFrom = -1
  return ({ receivedAt, judgement }) => {
    if (!judgement.reasons.includes('rate')) return
    const from = Math.floor(receivedAt / softLimit.windowMs) * softLimit.windowMs
    if (from === toldFrom) return
    toldFrom = from
    const span = { from, before: from + softLimit.windowMs }
    const kind = 'leads.flood'
    const told = {
      name: `flood-${from}`,
      kind,
      about: writeSpan(span),
      dueAt: span.before,
    } as const
    store
      .addDeliveries(toEach(channelsFor(kind), told))
      // The daily digest tells of them too.
      .catch((error: unknown) => log.error('delivery.flood', errorFacts(error)))
  }
}
