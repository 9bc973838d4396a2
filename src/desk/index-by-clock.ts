/** Keeps the search index up to date by the clock, without slowing leads down. */
import { repeatByClock } from '../by-clock.ts'
import type { ByClock } from '../by-clock.ts'
import { hourMs } from '../durations.ts'
import type { ReportFailure } from '../log.ts'
import { isBusy } from '../lead/busy.ts'
import { StorageUnavailable } from '../store/engine/engine.ts'
import type { Store } from '../store/store.ts'
import { batchSize, createIndexer } from './indexer.ts'
import type { IndexerParts } from './indexer.ts'
import type { LateLeads } from './late-leads.ts'

const idleMs = 2_000
/** While leads come in fast, it works for one part of the time in so many. */
const restWhileBusy = 40
const busyLeads = 20

export function indexByClock(
  parts: Omit<IndexerParts, 'store'> & {
    store: IndexerParts['store'] & Pick<Store, 'addDue'>
    late: LateLeads
    reportFailure: ReportFailure
    everyMs?: number
  },
): ByClock {
  const { store, late, reportFailure, now, everyMs = idleMs } = parts
  const { indexBatch, tidy } = createIndexer(parts)
  let tidiedAt = performance.now()
  let size = batchSize
  return repeatByClock(work, everyMs)

  /** Returns how long to rest. */
  async function work(): Promise<number> {
    const startedAt = performance.now()
    try {
      await late.addDue(store)
      const count = await indexBatch(size)
      const isFull = count === size
      size = Math.min(batchSize, size * 2)
      if (isFull) {
        const tookMs = performance.now() - startedAt
        return (await isBusy(store, busyLeads, now())) ? tookMs * restWhileBusy : tookMs
      }
      if (performance.now() - tidiedAt >= hourMs) {
        tidiedAt = performance.now()
        await tidy()
      }
    } catch (error) {
      // It comes back; others report that it is away. The batch may have been what took so long.
      if (error instanceof StorageUnavailable) size = Math.ceil(size / 2)
      else reportFailure('search-index.failed', error)
    }
    return everyMs
  }
}
