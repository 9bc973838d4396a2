/** The schema of a SQLite database: what is there, and the migrations that are due. */
import type { DatabaseSync } from 'node:sqlite'
import {
  addFieldColumns,
  describeMigration,
  dueMigrations,
  type DoneMigration,
  type Migrated,
  type DatabaseSchema,
} from './migrations.ts'

/**
 * One transaction: another process that starts meanwhile waits for it, and finds nothing to do. `like`
 * gives a new file the schema of an older server, of which it becomes a copy.
 */
export function migrate(
  db: DatabaseSync,
  nowMs: number,
  like?: DatabaseSchema,
): Migrated | undefined {
  const startedAt = performance.now()
  db.exec('begin immediate')
  try {
    db.exec(
      'create table if not exists migration (name text primary key not null, hash text not null, at integer not null) strict',
    )
    const before = doneMigrations(db)
    const due = dueMigrations(before, 'sqlite').slice(0, like?.migrations.length)
    for (const { name, hash, sql, ownSql } of due) {
      db.exec(sql)
      db.exec(ownSql)
      const remember = db.prepare('insert into migration (name, hash, at) values (?, ?, ?)')
      remember.run(name, hash, nowMs)
    }
    const additions = addFieldColumns(leadColumns(db), like?.columns)
    for (const sql of additions) db.exec(sql)
    db.exec('commit')
    return describeMigration(before, due, { addsFields: additions.length > 0, startedAt })
  } catch (error) {
    if (db.isTransaction) db.exec('rollback')
    throw error
  }
}

/** Reads every column: the table of an earlier commit has others. */
export function doneMigrations(db: DatabaseSync): DoneMigration[] {
  return db.prepare('select * from migration order by name').all() as DoneMigration[]
}

function leadColumns(db: DatabaseSync): string[] {
  return db
    .prepare(`select name from pragma_table_info('lead')`)
    .all()
    .map((row) => String(row['name']))
}

/** Refuses a newer schema and that of another commit. `undefined`: it is no database of this program. */
export function compareSchema(db: DatabaseSync): 'current' | 'older' | undefined {
  const [table] = db.prepare(`select 1 from sqlite_schema where name = 'migration'`).all()
  if (table === undefined) return undefined
  const isDue = dueMigrations(doneMigrations(db), 'sqlite').length > 0
  return isDue || addFieldColumns(leadColumns(db)).length > 0 ? 'older' : 'current'
}
