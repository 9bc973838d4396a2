import { openSqlite } from '../src/store/engine/sqlite.ts'
import { openStore } from '../src/store/store.ts'
const store = openStore(openSqlite({ path: process.argv[2]!, nowMs: Date.now() }))
const [lead] = await store.listLeads({ limit: 1 })
for (let i = 0; i < 5; i++) {
  const t = performance.now()
  const r = await store.findByReference(lead!.reference)
  const u = performance.now()
  const n = await store.findByReference('C-000000')
  console.log((u - t).toFixed(3), r.length, (performance.now() - u).toFixed(3), n.length)
}
await store.close()
