/** What is written for a new lead, all or nothing: itself, its first event, its deliveries. */
import { chainStart, linkEvent } from './chain.ts'
import type { Statement } from './engine.ts'
import { insertDelivery, insertEvent, insertFirstEvent, insertLead } from './rows.ts'
import type { HeldClaim, NewLead } from './rows.ts'

/** `first`: nothing can stand in its way. `again`: it may be there already, under the same id. */
export function toBatch(
  lead: NewLead,
  fingerprint: string,
  how: 'first' | 'again' | HeldClaim,
): Statement[] {
  const { reasons } = lead.judgement
  const first = linkEvent(
    {
      leadId: lead.id,
      number: 0,
      at: lead.receivedAt,
      kind: lead.state === 'held' ? 'lead.held' : 'lead.received',
      data: `{"fingerprint":"${fingerprint}","channel":"${lead.channel}","reasons":${JSON.stringify(reasons)}}`,
    },
    chainStart,
  )
  const batch = [
    insertLead(lead, { fingerprint, how, head: first.hash }),
    how === 'first' ? insertFirstEvent(first) : insertEvent(first),
  ]
  for (const channel of lead.deliverTo) batch.push(insertDelivery(lead, channel))
  return batch
}
