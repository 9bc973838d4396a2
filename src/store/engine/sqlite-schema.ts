/** Brings a SQLite file to the newest schema, and compares its schema with ours. */
import { closeSync, existsSync, openSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { keepPrivate, makeFolder } from '../files.ts'
import { StoreRefused } from './engine.ts'
import {
  addFieldColumns,
  dueMigrations,
  lastNumber,
  withoutComments,
  type DoneMigration,
} from './migrations.ts'
import {
  damagedFile,
  explainSqliteFault,
  findDamage,
  look,
  openToWrite,
  withLogs,
} from './sqlite-file.ts'

/** At a start, larger files are not checked for damage, because that would take too long. */
const quickCheckBytes = 32 * 1024 * 1024

export function prepareFile(path: string): void {
  try {
    makeFolder(dirname(path))
    closeSync(openSync(path, 'a', 0o600))
    // Only a writing connection can apply the rollback journal that a power cut may have left.
    if (existsSync(`${path}-journal`)) openToWrite(path).close()
    const { size } = statSync(path)
    const isChecked = size > 0 && size <= quickCheckBytes
    if (isChecked && findDamage(path, 'quick_check') !== undefined) {
      throw new StoreRefused(damagedFile(path))
    }
    // SQLite gives new logs the mode of the file, but existing ones keep theirs.
    for (const file of withLogs(path)) keepPrivate(file, 0o600)
    using db = openToWrite(path)
    migrate(db)
  } catch (error) {
    throw explainSqliteFault(error, path)
  }
}

/** Returns `undefined` if the file is not of this program. */
export function readSchema(path: string): 'current' | 'older' | undefined {
  return look(path, (db) => {
    if (!isOurs(db)) return undefined
    const isDue = dueMigrations(doneMigrations(db), 'sqlite').length > 0
    return isDue || addFieldColumns(columnsOfLead(db)).length > 0 ? 'older' : 'current'
  })
}

export function describeFile(path: string): { schema: number; leads: number } {
  return look(path, (db) => {
    const schema = isOurs(db) ? lastNumber(doneMigrations(db)) : 0
    if (schema === 0) return { schema, leads: 0 }
    const { leads } = db.prepare('select count(*) as leads from lead').get() as { leads: number }
    return { schema, leads }
  })
}

/** `what` is a type and a name, such as `table lead`. */
export type Foreign = {
  what: string
  /** The program has a thing of this name, but it is another one here, or missing. */
  isOurs: boolean
}

/** Finds a difference from our own schema, because a backup may come from anybody, and hold a trigger. */
export function findForeign(path: string, extraTable: string): Foreign | undefined {
  return look(path, (db) => {
    const done = doneMigrations(db)
    // Throws if a migration of the file is newer than this program or has another text.
    dueMigrations(done, 'sqlite')
    const wanted = ownSchema(done.length, columnsOfLead(db), extraTable)
    const here = entriesOf(db)
    const changed = here.find((each) => !hasEntry(wanted, each))
    if (changed === undefined) {
      const missing = wanted.find((each) => !hasEntry(here, each))
      return missing && { what: missing.what, isOurs: true }
    }
    const { what } = changed
    return { what, isOurs: wanted.some((each) => each.what === what) }
  })
}

type SchemaEntries = { what: string; sql: string }[]

/** The last one stays: the next backup has the same schema, and every migration has to run for it. */
let lastSchema: { key: string; entries: SchemaEntries } | undefined

function ownSchema(migrations: number, columns: readonly string[], table: string): SchemaEntries {
  const key = JSON.stringify([migrations, columns, table])
  if (lastSchema?.key === key) return lastSchema.entries
  using db = new DatabaseSync(':memory:')
  db.exec(migrationTable)
  for (const { sql, ownSql } of dueMigrations([], 'sqlite').slice(0, migrations)) {
    db.exec(sql + ownSql)
  }
  for (const sql of addFieldColumns(columnsOfLead(db), columns)) db.exec(sql)
  db.exec(table)
  lastSchema = { key, entries: entriesOf(db) }
  return lastSchema.entries
}

function hasEntry(schema: SchemaEntries, { what, sql }: SchemaEntries[number]): boolean {
  return schema.some((each) => each.what === what && each.sql === sql)
}

function entriesOf(db: DatabaseSync): SchemaEntries {
  // SQLite's own `analyze` makes these tables of statistics.
  const ours = `select type, name, sql from sqlite_schema
    where not (type = 'table' and name in ('sqlite_stat1', 'sqlite_stat4'))`
  return db
    .prepare(ours)
    .all()
    .map(({ type, name, sql }) => {
      const what = `${String(type)} ${String(name)}`
      const text = withoutComments(String(sql))
      return { what, sql: what === 'table lead' ? inAnyOrder(text) : text }
    })
}

/** A start adds the columns of fields to `lead`, and a later migration may add more columns after them. */
function inAnyOrder(sql: string): string {
  const [, head = '', columns = '', tail = ''] = /^([^(]*\()(.*)(\).*)$/.exec(sql) ?? [sql, sql]
  const sorted = columns.split(',').map((column) => column.trim())
  return head + sorted.sort().join(', ') + tail
}

function isOurs(db: DatabaseSync): boolean {
  return db.prepare(`select 1 from sqlite_schema where name = 'migration'`).get() !== undefined
}

const migrationTable =
  'create table if not exists migration (name text primary key not null, hash text not null, at integer not null) strict'

/** Another process that starts meanwhile waits at `begin immediate`, and then finds nothing to do. */
function migrate(db: DatabaseSync): void {
  db.exec('begin immediate')
  try {
    db.exec(migrationTable)
    for (const { name, hash, sql, ownSql } of dueMigrations(doneMigrations(db), 'sqlite')) {
      db.prepare('insert into migration values (?, ?, ?)').run(name, hash, Date.now())
      db.exec(sql + ownSql)
    }
    for (const sql of addFieldColumns(columnsOfLead(db))) db.exec(sql)
    db.exec('commit')
  } catch (error) {
    if (db.isTransaction) db.exec('rollback')
    throw error
  }
}

/** Selects `*`, because earlier versions of this program made the table with other columns. */
export function doneMigrations(db: DatabaseSync): DoneMigration[] {
  return db.prepare('select * from migration order by name').all() as DoneMigration[]
}

function columnsOfLead(db: DatabaseSync): string[] {
  const rows = db.prepare(`select name from pragma_table_info('lead')`).all()
  return rows.map((row) => String(row['name']))
}
