/** Whether leads come in fast. Work that can wait then works less. */
import { toIdStart } from '../store/id-time.ts'
import type { Store } from '../store/store.ts'

/** At least so many in the last second. */
export async function isBusy(
  store: Pick<Store, 'leadsToIndex'>,
  leads: number,
  now: number,
): Promise<boolean> {
  const lastSecond = { after: toIdStart(now - 1_000), before: toIdStart(now + 1) }
  return (await store.leadsToIndex(lastSecond, leads)).length === leads
}
