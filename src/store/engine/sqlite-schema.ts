/** The schema of a SQLite database: what is there, and the migrations that are due. */
import type { DatabaseSync } from 'node:sqlite'
import { addFieldColumns, dueMigrations, fieldsStep } from './migrations.ts'
import type { MigrationDone, TableSchema } from './migrations.ts'

/**
 * Returns what was done to a database that was not empty. `like`: gives an empty one the schema of an
 * older database, of which it becomes a copy.
 */
export function migrate(db: DatabaseSync, nowMs: number, like?: TableSchema): MigrationDone[] {
  const done: MigrationDone[] = []
  db.exec('begin immediate')
  try {
    db.exec(
      'create table if not exists migration (number integer primary key, name text not null, at integer not null) strict',
    )
    const last = lastMigration(db)
    let startedAt = performance.now()
    const noteDone = (schema: number, step: string) => {
      const endedAt = performance.now()
      if (last > 0) done.push({ schema, step, ms: Math.round(endedAt - startedAt) })
      startedAt = endedAt
    }
    for (const { number, name, sql, ownSql } of dueMigrations(last, 'sqlite')) {
      if (like !== undefined && number > like.last) break
      db.exec(sql)
      db.exec(ownSql)
      db.prepare('insert into migration (number, name, at) values (?, ?, ?)').run(
        number,
        name,
        nowMs,
      )
      noteDone(number, name)
    }
    const additions = addFieldColumns(leadColumns(db), like)
    for (const sql of additions) db.exec(sql)
    if (additions.length > 0) noteDone(lastMigration(db), fieldsStep)
    db.exec('commit')
    return done
  } catch (error) {
    if (db.isTransaction) db.exec('rollback')
    throw error
  }
}

export function lastMigration(db: DatabaseSync): number {
  const sql = 'select coalesce(max(number), 0) as last from migration'
  return (db.prepare(sql).get() as { last: number }).last
}

function leadColumns(db: DatabaseSync): string[] {
  return db
    .prepare(`select name from pragma_table_info('lead')`)
    .all()
    .map((row) => String(row['name']))
}

/** Refuses a newer schema. `undefined`: it is no database of this program. */
export function compareSchema(db: DatabaseSync): 'current' | 'older' | undefined {
  const [table] = db.prepare(`select 1 from sqlite_schema where name = 'migration'`).all()
  if (table === undefined) return undefined
  const isDue = dueMigrations(lastMigration(db), 'sqlite').length > 0
  return isDue || addFieldColumns(leadColumns(db)).length > 0 ? 'older' : 'current'
}
