/** Erases every lead of a person. */
import { eraseLead, type Act, type EraseOutcome } from '../lead/act.ts'
import { keysToTrust } from '../lead/person-keys.ts'
import type { Store } from '../store/store.ts'

const erasedAtOnce = 50

/** `act`: on one of the leads. Its version is checked, because its page shows what is erased. */
export async function erasePerson(
  store: Store,
  act: Act,
  alsoPhone: boolean,
): Promise<EraseOutcome> {
  const { leadId, by, at } = act
  const keys = keysToTrust(await store.views.personKeysOf(leadId), alsoPhone)
  const outcome = await eraseLead(store, act)
  if (outcome.kind !== 'erased') return outcome
  for (let ids = await readIds(); ids.length > 0; ids = await readIds()) {
    for (const id of ids) await eraseLead(store, { leadId: id, by, at })
  }
  return outcome

  /** Always reads the first page: an erased lead has no person keys, so it is not found again. */
  async function readIds(): Promise<string[]> {
    const next = await store.views.ofPerson(keys, { limit: erasedAtOnce })
    return next.filter(({ state }) => state !== 'erased').map(({ id }) => id)
  }
}
