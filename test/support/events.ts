import { findNamed } from '../../src/lead/find.ts'
import type { LeadEvent } from '../../src/store/events.ts'
import type { Store } from '../../src/store/store.ts'

/** Of one lead, by its id or reference. */
export async function eventsOf(
  store: Pick<Store, 'findLead' | 'findByReference' | 'eventsOf'>,
  idOrReference: string,
): Promise<LeadEvent[]> {
  const lead = await findNamed(store, idOrReference)
  const [events] = await store.eventsOf([lead!])
  return events!
}
