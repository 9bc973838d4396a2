/** The service on SQLite without group commit: one transaction per request, on the main thread. */
import type { StatementSync } from 'node:sqlite'
import type { Engine, Result, Row, Statement } from '../../src/store/engine/engine.ts'
import { openToWrite, prepareFile, toSqlite } from '../../src/store/engine/sqlite-file.ts'
import { openStore } from '../../src/store/store.ts'
import { serveWith } from './serve-with.ts'

await serveWith((path) => openStore(openOneByOne(path)))

function openOneByOne(path: string): Engine {
  prepareFile(path, Date.now())
  const db = openToWrite(path)
  const prepared = new Map<string, StatementSync>()
  return {
    dialect: 'sqlite',
    soleWriter: true,
    forgetDeleted() {},
    rebuildIndex: () => Promise.resolve(),
    run: (batch) => Promise.resolve(commit(batch)),
    read: (sql, values = []) => Promise.resolve(prepare(sql).all(...values) as Row[]),
    close: () => Promise.resolve(db.close()),
  }

  function commit(batch: readonly Statement[]): Result[] {
    db.exec('begin immediate')
    const results = batch.map(([sql, values]) => Number(prepare(sql).run(...values).changes))
    db.exec('commit')
    return results
  }

  function prepare(sql: string): StatementSync {
    let statement = prepared.get(sql)
    if (statement === undefined) {
      statement = db.prepare(toSqlite(sql))
      prepared.set(sql, statement)
    }
    return statement
  }
}
