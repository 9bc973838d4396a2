/** Erases all leads of one person for good. For one lead see lead/move.ts. */
import { eraseLead } from '../lead/move.ts'
import { keysToTrust } from '../lead/person-keys.ts'
import type { Store } from '../store/store.ts'

const pageSize = 50

/**
 * All that share the email of this lead, or with `alsoPhone` its phone number, itself included. `by`:
 * the id of the member. Returns how many.
 */
export async function erasePerson(
  store: Pick<Store, 'findLead' | 'eraseLead' | 'personKeysOf' | 'leadsOfPerson'>,
  { leadId, by, at, alsoPhone }: { leadId: string; by: string; at: number; alsoPhone: boolean },
): Promise<number> {
  const named = await store.findLead(leadId)
  if (named === undefined) return 0
  const keys = keysToTrust(await store.personKeysOf(leadId), alsoPhone)
  let leads = [named]
  let erased = 0
  do {
    for (const { id } of leads) await eraseLead(store, { leadId: id, by, at })
    erased += leads.length
    // Always the first page: what is erased is no longer under a key.
    const next = await store.leadsOfPerson(keys, { limit: pageSize })
    leads = next.filter(({ state }) => state !== 'erased')
  } while (leads.length > 0)
  return erased
}
