/** Leads past the soft limit are held. One notice tells of all of them, at the end of the time that the limit counts. */
import { softLimit } from '../../contract/limits.ts'
import type { ChannelsFor } from '../../contract/notices.ts'
import type { KeptLead } from '../../lead/take.ts'
import type { ReportFailure } from '../../log.ts'
import { aboutSpan } from '../../store/about.ts'
import type { Store } from '../../store/store.ts'
import { toEach } from '../channel-plan.ts'

export type FloodParts = {
  store: Pick<Store, 'addDeliveries'>
  channelsFor: ChannelsFor
  reportFailure: ReportFailure
}

export function createFloodWatch(parts: FloodParts): (lead: KeptLead) => void {
  const { store, channelsFor, reportFailure } = parts
  let notifiedFrom = -1
  return ({ receivedAt, judgement }) => {
    if (!judgement.reasons.includes('rate')) return
    const from = Math.floor(receivedAt / softLimit.windowMs) * softLimit.windowMs
    if (from === notifiedFrom) return
    notifiedFrom = from
    const before = from + softLimit.windowMs
    const deliveries = toEach(channelsFor('leads.flood'), {
      name: `flood-${from}`,
      kind: 'leads.flood',
      about: aboutSpan.write({ from, before }),
      dueAt: before,
    })
    store
      .addDeliveries(deliveries)
      // The daily digest lists them too.
      .catch((error: unknown) => reportFailure('delivery.flood', error))
  }
}
