/** Opens, checks and migrates a SQLite file. */
import { closeSync, existsSync, openSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import { keepPrivate, makeFolder } from '../files.ts'
import { StoreRefused } from './engine.ts'
import {
  addFieldColumns,
  dueMigrations,
  lastNumber,
  withoutComments,
  type DoneMigration,
} from './migrations.ts'

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
      throw new StoreRefused(damaged(path))
    }
    // SQLite gives new logs the mode of the file, but existing ones keep theirs.
    for (const file of withLogs(path)) keepPrivate(file, 0o600)
    using db = openToWrite(path)
    migrate(db)
  } catch (error) {
    throw explainSqliteFault(error, path)
  }
}

export function withLogs(path: string): string[] {
  return [path, `${path}-wal`, `${path}-shm`]
}

export function openToWrite(path: string): DatabaseSync {
  const db = new DatabaseSync(path, { timeout: 2_000 })
  db.exec(`
    -- The main thread reads while the writer commits, and a commit syncs only the log.
    pragma journal_mode = wal;
    -- Syncs the log at each commit. The weaker \`normal\` may lose the last commits in a power cut.
    pragma synchronous = full;
    -- On macOS a plain fsync stops at the cache of the drive. Other systems ignore this.
    pragma fullfsync = on;
    -- Overwrites what is deleted with zeros, because an erased lead must not stay readable in the file.
    pragma secure_delete = on;
    -- A restored file may come from anybody; its views and triggers may call only harmless functions.
    pragma trusted_schema = off;
    -- Shrinks the log to 16 MiB after a burst. Otherwise it keeps its largest size for good.
    pragma journal_size_limit = 16777216;
    -- Moves the log into the file at every 3,000 pages (12 MiB), a third as often as by default, because
    -- the commit that does so is slow.
    pragma wal_autocheckpoint = 3000;
  `)
  return db
}

export function openToRead(path: string | URL): DatabaseSync {
  const db = new DatabaseSync(path, { readOnly: true, timeout: 100 })
  // The file may come from anybody, as in `openToWrite`.
  db.exec('pragma trusted_schema = off')
  return db
}

/** A file without a log is opened as immutable, because a plain read-only connection would create a log. */
export function look<T>(path: string, work: (db: DatabaseSync) => T): T {
  const hasLog = existsSync(`${path}-wal`) || existsSync(`${path}-journal`)
  const url = pathToFileURL(path)
  url.searchParams.set('immutable', '1')
  using db = openToRead(hasLog ? path : url)
  return work(db)
}

/** Returns false if another program uses the file. */
export function emptyLogOf(db: DatabaseSync): boolean {
  const [done] = db.prepare('pragma wal_checkpoint(truncate)').all()
  return done?.['busy'] === 0
}

/** The identity stays when the file is renamed. */
export function fileIdentity(path: string): string | undefined {
  const stat = statSync(path, { throwIfNoEntry: false })
  return stat && `${stat.dev}:${stat.ino}`
}

/** Only reads, because a writing connection would move the log into the damaged file when it closes. */
export function findDamage(path: string, check = 'integrity_check'): string | undefined {
  try {
    const finding = look(path, (db) => db.prepare(`pragma ${check}(1)`).get()?.[check])
    return finding === 'ok' ? undefined : String(finding)
  } catch (error) {
    if (storageFault(error) !== 'damaged') throw explainSqliteFault(error, path)
    return (error as Error).message
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
  using fresh = new DatabaseSync(':memory:')
  return look(path, (db) => {
    const done = doneMigrations(db)
    // Throws if a migration of the file is newer than this program or has another text.
    dueMigrations(done, 'sqlite')
    fresh.exec(migrationTable)
    for (const { sql, ownSql } of dueMigrations([], 'sqlite').slice(0, done.length)) {
      fresh.exec(sql + ownSql)
    }
    for (const sql of addFieldColumns(columnsOfLead(fresh), columnsOfLead(db))) fresh.exec(sql)
    fresh.exec(extraTable)
    const [here, wanted] = [schemaOf(db), schemaOf(fresh)]
    const changed = here.find((each) => !has(wanted, each))
    if (changed === undefined) {
      const missing = wanted.find((each) => !has(here, each))
      return missing && { what: missing.what, isOurs: true }
    }
    const { what } = changed
    return { what, isOurs: wanted.some((each) => each.what === what) }
  })
}

type SchemaEntries = { what: string; sql: string }[]

function has(schema: SchemaEntries, { what, sql }: SchemaEntries[number]): boolean {
  return schema.some((each) => each.what === what && each.sql === sql)
}

function schemaOf(db: DatabaseSync): SchemaEntries {
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

/** A single writer needs no row locks. */
export function toSqlite(sql: string): string {
  return sql
    .replaceAll(/\$(\d+)/g, '?$1')
    .replaceAll('strpos(', 'instr(')
    .replace(' for update skip locked', '')
}

/** Returns `undefined` if the statement itself is at fault. */
export function storageFault(error: unknown): string | undefined {
  const { errcode: code, message } = error as Error & { errcode?: number }
  // A table or column is missing, which is no fault of the lead.
  if (/^no such (?:table|column)/.test(message)) return 'refused'
  // The lower 8 bits of an extended code are its primary code.
  return code === undefined ? undefined : storageFaults[code & 0xff]
}

const storageFaults: Record<number, string> = {
  5: 'locked',
  6: 'locked',
  7: 'out-of-memory',
  8: 'read-only',
  10: 'input-output',
  11: 'damaged',
  13: 'full',
  14: 'cannot-open',
  26: 'damaged',
}

export function explainSqliteFault(error: unknown, path: string): unknown {
  const { syscall, code } = error as NodeJS.ErrnoException
  if (syscall !== undefined) {
    return new StoreRefused(
      `The database ${path} cannot be made or opened there (${code}). Choose another DATA_DIR or DATABASE_URL, or give this user the right to write there.`,
    )
  }
  const fault = storageFault(error) ?? ''
  return fault in sentences ? new StoreRefused(sentences[fault]!(path)) : error
}

const sentences: Record<string, (path: string) => string> = {
  damaged,
  refused: (path) =>
    `The database ${path} lacks a table or column of this program. Restore a backup in its place.`,
  'read-only': (path) =>
    `The database ${path} cannot be written. Give this user the right to write it and its folder.`,
  'cannot-open': (path) =>
    `The database ${path} cannot be opened by this user. Run chown on it, its logs and its folder, or use the user of the service.`,
  locked: (path) =>
    `The database ${path} is locked by another program. Stop that program, then start again.`,
  full: (path) => `The disk that holds ${path} is full. Make room, then start again.`,
}

export function notOurs(path: string): string {
  return `The file ${path} is empty, or not a database of this program. Move a backup into its place.`
}

function damaged(path: string): string {
  return `The database ${path} is damaged. It was left as it is. Restore a backup in its place, or move it away to start with an empty one.`
}
