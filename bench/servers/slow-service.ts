/** The service on a slow disk: every commit takes 20 ms longer. */
import { openSqlite } from '../../src/store/engine/sqlite.ts'
import { openStore } from '../../src/store/store.ts'
import { serveWith } from './serve-with.ts'

await serveWith((path) => openStore(openSqlite({ path, nowMs: Date.now(), commitDelayMs: 20 })))
