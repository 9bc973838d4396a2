import { openSqlite } from '../src/store/engine/sqlite.ts'
import { openStore } from '../src/store/store.ts'
import { fillDesk } from './desk-fill.ts'
const n = Number(process.argv[3])
const store = openStore(openSqlite({ path: process.argv[2]!, nowMs: Date.now() }))
const t = performance.now()
await fillDesk(store, n)
console.log('filled', n, Math.round(performance.now() - t), 'ms')
await store.close()
