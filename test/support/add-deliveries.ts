/** Deliveries that belong to no lead of a test. */
import type { NewDelivery } from '../../src/store/deliveries/rows.ts'
import type { Store } from '../../src/store/store.ts'

export async function addDeliveries(store: Store, adds: readonly NewDelivery[]): Promise<void> {
  await store.firstSince(`test ${adds[0]!.id}`, 0, { adds })
}
