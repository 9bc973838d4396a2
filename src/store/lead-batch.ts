/** What is written for a new lead, all or nothing: its row, which is its first event too, and its deliveries. */
import { firstEventOf } from './chain.ts'
import type { Statement } from './engine.ts'
import { insertDelivery, insertLead } from './rows.ts'
import type { HeldClaim, NewLead } from './rows.ts'

/** `first`: nothing can stand in its way. `again`: it may be there already, under the same id. */
export function toBatch(
  lead: NewLead,
  fingerprint: string,
  how: 'first' | 'again' | HeldClaim,
): Statement[] {
  const head = firstEventOf(lead, fingerprint, lead.state).hash
  const batch = [insertLead(lead, { fingerprint, how, head })]
  for (const channel of lead.deliverTo) batch.push(insertDelivery(lead, channel))
  return batch
}
