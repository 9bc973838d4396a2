import assert from 'node:assert/strict'
import { join } from 'node:path'
import test from 'node:test'
import type { Row } from '../../src/store/engine/engine.ts'
import { openSqlite } from '../../src/store/engine/sqlite.ts'
import { temporaryFolder } from '../support/service.ts'

test('tables are strict, the log is synced in full, and what is deleted is overwritten', async (t) => {
  const engine = openSqlite({ path: join(temporaryFolder(t), 'leads.sqlite'), nowMs: 0 })
  t.after(() => engine.close())
  const rows = await engine.read(
    `select name from pragma_table_list where strict = 0 and schema = 'main' and name not like 'sqlite_%'`,
  )
  assert.deepEqual(rows, [])
  const [, ...pragmas] = await engine.run([
    ['insert into probe (id, at) values (1, 1)', []],
    ['pragma synchronous', []],
    ['pragma secure_delete', []],
    ['pragma journal_mode', []],
  ])
  assert.deepEqual(
    pragmas.map((result) => Object.values((result as Row[])[0]!)[0]),
    [2, 1, 'wal'],
  )
})
