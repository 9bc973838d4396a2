/** Finds a lead by what an operator types: an id or a reference. */
import { readReference } from '../store/reference.ts'
import type { Lead } from '../store/rows.ts'
import type { Store } from '../store/store.ts'

export function findNamed(
  store: Pick<Store, 'findLead' | 'findByReference'>,
  idOrReference: string,
): Promise<Lead | undefined> {
  const reference = readReference(idOrReference)
  if (reference !== undefined) return store.findByReference(reference)
  return store.findLead(idOrReference.trim().toLowerCase())
}
