import { findNamed } from '../../src/lead/move.ts'
import type { LeadEvent } from '../../src/store/leads/events.ts'
import type { Store } from '../../src/store/store.ts'

/** Of one lead, by its id or reference. */
export async function eventsOf(store: Store, idOrReference: string): Promise<LeadEvent[]> {
  const lead = await findNamed(store, idOrReference)
  const [events] = await store.eventsOf([lead!])
  return events!
}
