/** Erases every lead of a person. */
import { eraseLead, type Act } from '../lead/act.ts'
import { keysToTrust } from '../lead/person-keys.ts'
import type { Store } from '../store/store.ts'

const erasedAtOnce = 50

export async function erasePerson(
  store: Store,
  { leadId, by, at }: Omit<Act, 'version'>,
  alsoPhone: boolean,
): Promise<void> {
  const keys = keysToTrust(await store.views.personKeysOf(leadId), alsoPhone)
  for (let ids = [leadId]; ids.length > 0;) {
    for (const id of ids) await eraseLead(store, { leadId: id, by, at })
    // Always reads the first page: an erased lead has no person keys, so it is not found again.
    const next = await store.views.ofPerson(keys, { limit: erasedAtOnce })
    ids = next.filter(({ state }) => state !== 'erased').map(({ id }) => id)
  }
}
