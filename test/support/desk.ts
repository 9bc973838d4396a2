/** A store with leads that a desk works on, and an indexer whose clock a test holds. */
import { createIndexer } from '../../src/desk/indexer.ts'
import { createPersonKeys } from '../../src/desk/people.ts'
import { toIdStart } from '../../src/store/id-time.ts'
import type { Engine } from '../../src/store/engine/engine.ts'
import type { NewLead } from '../../src/store/rows.ts'
import { openStore } from '../../src/store/store.ts'
import type { Store } from '../../src/store/store.ts'
import type { Cleaner } from './cleaner.ts'
import { newDatabase } from './engines.ts'
import { newLead, nowMs } from './new-lead.ts'
import type { TestDatabase } from './postgres-database.ts'

export const secret = Buffer.alloc(32, 7)
export const keysOf = createPersonKeys(secret)
export const areas = [{ name: 'Lismore', postcodes: ['2480'] }]

export type TestDesk = {
  store: Store
  engine: Engine
  database: TestDatabase
  /** Puts all leads that are there into the search index. */
  indexAll(): Promise<void>
}

export function openDesk(t: Cleaner, database = newDatabase(t)): TestDesk {
  const engine = database.open(nowMs)
  const store = openStore(engine)
  t.after(() => store.close())
  // Long after the leads of these tests.
  const { indexBatch } = createIndexer({ store, secret, now: () => nowMs + 1e9 })
  return {
    store,
    engine,
    database,
    async indexAll() {
      while ((await indexBatch()) > 0);
    },
  }
}

/** The lead of a minute: each has an id that sorts by its time, as real ids do. */
export function leadAt(
  minute: number,
  values: Partial<NewLead['values']> = {},
  parts: Partial<NewLead> = {},
): NewLead {
  const receivedAt = nowMs + minute * 60_000
  const plain = newLead(minute)
  return newLead(minute, {
    id: `${toIdStart(receivedAt)}-7000-8000-${String(minute).padStart(12, '0')}`,
    receivedAt,
    values: { ...plain.values, ...values },
    ...parts,
  })
}
