/** A database file of its own for a test. */
import { join } from 'node:path'
import type { Engine } from '../../src/store/engine/engine.ts'
import { openSqlite } from '../../src/store/engine/sqlite.ts'
import type { Cleaner } from './cleaner.ts'
import type { TestDatabase } from './postgres-database.ts'
import { patienceMs } from './patience.ts'
import { temporaryFolder } from './service.ts'

export function newSqliteDatabase(t: Cleaner): TestDatabase {
  const path = join(temporaryFolder(t), 'leads.sqlite')
  return {
    url: `sqlite:${path}`,
    // No commit fails because the machine is slow.
    open: (nowMs) => toParts(openSqlite({ path, nowMs, commitTimeoutMs: patienceMs })),
    execute: (sql) => executeInFile(path, sql),
  }
}

export async function executeInFile(path: string, sql: string): Promise<Record<string, unknown>[]> {
  const { DatabaseSync } = await import('node:sqlite')
  const db = new DatabaseSync(path, { enableForeignKeyConstraints: false })
  try {
    if (/^select/i.test(sql)) return db.prepare(sql).all()
    db.exec(sql)
    return []
  } finally {
    db.close()
  }
}

/** As an object that a test may spread, to replace a method by its own. */
function toParts(engine: Engine): Engine {
  return {
    dialect: engine.dialect,
    run: (batch) => engine.run(batch),
    read: (sql, values) => engine.read(sql, values),
    forgetDeleted: () => engine.forgetDeleted(),
    rebuildIndex: (name) => engine.rebuildIndex(name),
    close: () => engine.close(),
  }
}
