/** The service with the obvious engine: a transaction of its own for each request, on the main thread. */
import type { StatementSync } from 'node:sqlite'
import type { Engine, Row, Statement, Value } from '../../src/store/engine.ts'
import { openToWrite, prepareFile, toSqlite } from '../../src/store/sqlite-file.ts'
import { openStore } from '../../src/store/store.ts'
import { serveWith } from './serve-with.ts'

await serveWith((path) => openStore(openOneByOne(path)))

function openOneByOne(path: string): Engine {
  prepareFile(path, Date.now())
  const db = openToWrite(path)
  const prepared = new Map<string, StatementSync>()
  return {
    run: (batch) => Promise.resolve(commit(batch)),
    read: (sql, values = []) => Promise.resolve(ask(sql, values)),
    close: () => Promise.resolve(db.close()),
  }

  function commit(batch: readonly Statement[]): Row[][] {
    db.exec('begin immediate')
    const rows = batch.map(([sql, values]) => ask(sql, values))
    db.exec('commit')
    return rows
  }

  function ask(sql: string, values: readonly Value[]): Row[] {
    let statement = prepared.get(sql)
    if (statement === undefined) {
      statement = db.prepare(toSqlite(sql))
      prepared.set(sql, statement)
    }
    return statement.all(...values) as Row[]
  }
}
