/** The service whose indexer finds nothing to do. */
import { openSqlite } from '../../src/store/engine/sqlite.ts'
import { openStore } from '../../src/store/store.ts'
import { serveWith } from './serve-with.ts'

await serveWith((path) => ({
  ...openStore(openSqlite({ path, nowMs: Date.now() })),
  leadsToIndex: () => Promise.resolve([]),
}))
