/** Waits until no lead waits in the journal. */
import type { Store } from '../../src/store/store.ts'
import { until } from './until.ts'

export async function replayed(store: Pick<Store, 'state'>): Promise<void> {
  await until(async () => {
    const { away, journal } = await store.state(Date.now())
    return away === undefined && journal?.leads === 0
  }, 'the journal is replayed')
}
