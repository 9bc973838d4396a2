/** Fills a database with copies of one real lead that differ in the indexed columns. */
import { DatabaseSync } from 'node:sqlite'
import { openSqlite } from '../src/store/engine/sqlite.ts'
import { openStore } from '../src/store/store.ts'
import { newLead } from './growth-lead.ts'

const rareLeads = 50
const chunk = 50_000
const weekMs = 7 * 24 * 60 * 60_000

/** Returns the id in the middle. At every size, 50 leads are in the rare state. */
export async function fillDatabase(path: string, leads: number): Promise<string> {
  const store = openStore(openSqlite({ path, nowMs: Date.now() }))
  const original = newLead()
  await store.keepLead(original)
  await store.close()

  const db = new DatabaseSync(path)
  try {
    db.exec('pragma synchronous = off; pragma cache_size = -500000')
    const startMs = Date.now() - leads * 1_000
    const idOf = `substr(printf('%012x', ${startMs} + i * 1000), 1, 8) || printf('-%04x-7000-8000-%012x', (${startMs} + i * 1000) & 65535, i)`
    const copyLeads = copySql(db, 'lead', 'id', {
      id: idOf,
      received_at: `${startMs} + i * 1000`,
      email: `'robin.' || i || '@example.com'`,
      reference: `printf('C-1%04d-%05d', i / 100000, i % 100000)`,
      fingerprint: `lower(hex(randomblob(21)))`,
      state: `case when i % ${leads / rareLeads} = 0 then 'held' when i % 10 = 1 then 'new' else 'won' end`,
    })
    for (let first = 0; first < leads; first += chunk) {
      const end = Math.min(first + chunk, leads)
      db.exec('begin')
      db.prepare(copyLeads).run(first, end, original.id)
      db.exec('commit')
    }
    db.exec(`insert into event (lead_id, number, at, kind, data)
      select id, 0, received_at, 'lead.received', '{"door":"json","reasons":[]}' from lead
      where true on conflict do nothing`)
    // Half of the leads have an idempotency key, which counts for a week.
    db.exec(`insert into dedup (key, lead_id, until)
      select lower(hex(randomblob(21))), id, received_at + ${weekMs} from lead
      where rowid % 2 = 0 and received_at + ${weekMs} > ${Date.now()}`)
    db.exec('pragma wal_checkpoint(truncate)')
    const middle = db.prepare('select id from lead order by id limit 1 offset ?').get(leads / 2)
    return String(middle!['id'])
  } finally {
    db.close()
  }
}

/** `changed`: for columns that are not copied, an SQL expression of the row number `i`. */
function copySql(
  db: DatabaseSync,
  table: string,
  key: string,
  changed: Readonly<Record<string, string>>,
): string {
  const columns = db
    .prepare(`select name from pragma_table_info('${table}')`)
    .all()
    .map(({ name }) => String(name))
  return `
    with recursive n (i) as (select ?1 union all select i + 1 from n where i + 1 < ?2)
    insert into ${table} (${columns.join(', ')})
    select ${columns.map((name) => changed[name] ?? `original.${name}`).join(', ')}
    from n, ${table} as original where original.${key} = ?3`
}
