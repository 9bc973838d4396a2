/** Waits until everything that was spooled is in the database. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Store } from '../../src/store/store.ts'

export async function drained(store: Pick<Store, 'state'>, patienceMs = 20_000): Promise<void> {
  const endsAt = performance.now() + patienceMs
  for (;;) {
    const { away, spool } = await store.state()
    if (away === undefined && spool?.depth === spool?.rejected.length) return
    if (performance.now() > endsAt) throw new Error(`not drained: ${JSON.stringify(spool)}`)
    await sleep(10)
  }
}
