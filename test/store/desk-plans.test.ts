/** Every question that the desk asks uses an index: a page is as fast with a million leads. */
import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import test from 'node:test'
import pg from 'pg'
import { tellNobody } from '../../src/contract/notices.ts'
import { moveByMember, noteByMember, undoByMember } from '../../src/desk/acts.ts'
import { erasePerson } from '../../src/desk/person.ts'
import { pagesOfPerson, recordExport, writeLeads } from '../../src/desk/export.ts'
import { searchLeads } from '../../src/desk/search.ts'
import { countViews, listView, viewNames } from '../../src/desk/views.ts'
import { readWholeLead } from '../../src/desk/whole-lead.ts'
import { NightlyErasing, countDue } from '../../src/lead/retention.ts'
import type { Engine, Value } from '../../src/store/engine/engine.ts'
import { toSqlite } from '../../src/store/engine/sqlite-file.ts'
import { openStore } from '../../src/store/store.ts'
import { areas, keysOf, leadAt } from '../support/desk.ts'
import { newDatabase, onPostgres } from '../support/engines.ts'
import { nowMs } from '../support/new-lead.ts'

test('every question and every change of the desk, retention and monitoring uses an index', async (t) => {
  const database = newDatabase(t)
  const inner = database.open(nowMs)
  const asked = new Map<string, readonly Value[]>()
  const engine: Engine = {
    ...inner,
    run(batch) {
      for (const [sql, values] of batch) asked.set(sql, values)
      return inner.run(batch)
    },
    read(sql, values = []) {
      asked.set(sql, values)
      return inner.read(sql, values)
    },
  }
  const quiet = openStore(inner)
  t.after(() => quiet.close())
  for (let minute = 0; minute < 60; minute += 1) {
    await quiet.keepLead(leadAt(minute, { message: 'pergola' }, { deliverTo: ['mail'] }))
  }

  const store = openStore(engine)
  const { id } = leadAt(30)
  const act = { leadId: id, version: undefined, by: 'ann', at: nowMs, tell: tellNobody }
  await noteByMember(store, act, 'words')
  await store.keepLead(leadAt(99, { phone: '0491 570 006' }))
  for (const view of viewNames) {
    await listView(store, view, { areas })
    await listView(store, view, { areas, past: id })
  }
  await countViews(store)
  await readWholeLead({ store, areas }, id)
  const { version } = (await store.findLead(id))!
  const moved = await moveByMember(store, { ...act, version }, 'contacted')
  assert.ok(moved.kind === 'done')
  await undoByMember(store, { ...act, version: moved.lead.version })
  for (const text of [
    'pergola',
    'per',
    'p2 pergola',
    'pergola xyzxyz',
    '0491 570 006',
    'C-7K3QM4',
  ]) {
    await searchLeads(store, text)
    await searchLeads(store, text, { before: id })
  }
  const ofPerson = pagesOfPerson(store, keysOf(leadAt(30, { phone: '0491 570 006' }).values))
  const pieces = writeLeads(store, ofPerson, { format: 'json', withEvents: true })
  for await (const piece of pieces) assert.ok(piece)
  await recordExport(store, { of: { view: 'all' }, format: 'csv', by: 'ann', at: nowMs })
  await erasePerson(store, { ...act, alsoPhone: true })
  await store.reindexWords()
  const retention = { spam: 30, held: 90, closed: 365 }
  const reportFailure = (_: string, error: unknown) => assert.fail(String(error))
  const now = () => nowMs + 1e12
  const nightly = { store, retention, isNight: () => true, report() {}, reportFailure, now }
  await new NightlyErasing(nightly).look()
  await countDue(store, retention, nowMs)

  assert.ok(asked.size > 30, `${asked.size} statements`)
  for (const [sql, values] of asked) {
    const plan = await planOf(database.url, sql, values)
    const whole = `${sql}\n${plan.join('\n')}`
    assert.deepEqual(
      plan.filter((step) => readsAll(step, sql)),
      [],
      whole,
    )
    if (sql.includes('from lead where state'))
      assert.match(
        whole,
        /USING (?:COVERING )?INDEX lead_by_state \(state=|using lead_by_state/,
        whole,
      )
  }
})

/** In SQLite `SCAN lead` reads a whole table; `SCAN lead USING INDEX` walks in its order, up to a limit. */
function readsAll(step: string, sql: string): boolean {
  if (onPostgres) return step.includes('Seq Scan')
  const [, table = '', way] = /^SCAN (\w+)( USING| VIRTUAL TABLE INDEX)?/.exec(step) ?? []
  return tables.includes(table) && !(way !== undefined && sql.includes('limit'))
}

const tables = [
  'lead',
  'event',
  'delivery',
  'delivery_try',
  'note',
  'person_key',
  'search_doc',
].concat(['search_words', 'exported', 'once', 'installation', 'dedup'])

async function planOf(url: string, sql: string, values: readonly Value[]): Promise<string[]> {
  const given = (_: string, number: string) => literal(values[Number(number) - 1] ?? null)
  const whole = sql.replaceAll(/\$(\d+)/g, given)
  if (onPostgres) {
    const client = new pg.Client(url)
    await client.connect()
    try {
      // Few rows are read as a whole, index or not. Like this only where there is none.
      await client.query('set enable_seqscan = off')
      const { rows } = await client.query<Record<string, string>>(`explain ${whole}`)
      return rows.map((row) => row['QUERY PLAN']!)
    } finally {
      await client.end()
    }
  }
  const db = new DatabaseSync(url.slice('sqlite:'.length))
  try {
    const rows = db.prepare(`explain query plan ${toSqlite(whole)}`).all()
    return rows.map((row) => String(row['detail']))
  } finally {
    db.close()
  }
}

function literal(value: Value): string {
  return typeof value === 'string' ? `'${value.replaceAll("'", "''")}'` : String(value)
}
