/** Finds leads by what an operator types: an id or a reference. */
import { readReference } from '../store/reference.ts'
import type { Lead } from '../store/rows.ts'
import type { Store } from '../store/store.ts'

/** More than one only where two leads share the reference. */
export async function findNamed(
  store: Pick<Store, 'findLead' | 'findByReference'>,
  idOrReference: string,
): Promise<Lead[]> {
  const reference = readReference(idOrReference)
  if (reference !== undefined) return store.findByReference(reference)
  const lead = await store.findLead(idOrReference.trim().toLowerCase())
  return lead === undefined ? [] : [lead]
}
