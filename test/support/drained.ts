/** Waits until everything that was spooled is in the database. */
import type { Store } from '../../src/store/store.ts'
import { until } from './until.ts'

export async function drained(store: Pick<Store, 'state'>): Promise<void> {
  await until(async () => {
    const { away, spool } = await store.state(Date.now())
    return away === undefined && spool?.depth === spool?.rejected.length
  }, 'the spool is drained')
}
