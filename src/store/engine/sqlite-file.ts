/** The database file: how it is opened, checked, migrated and emptied of its log, and SQL in its dialect. Used by both threads. */
import { closeSync, existsSync, mkdirSync, openSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { StoreRefused } from './engine.ts'
import { addFieldColumns, dueMigrations, newestMigration } from './migrations.ts'

/** A file up to this size is checked page by page at start; a larger one by `doctor`. */
const quickCheckBytes = 32 * 1024 * 1024

/** Creates the file when there is none, refuses one that is damaged or newer, and runs what migrations are due. */
export function prepareFile(path: string, nowMs: number): void {
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    closeSync(openSync(path, 'a', 0o600))
    refuseDamage(path)
    const db = openToWrite(path)
    try {
      migrate(db, nowMs)
    } finally {
      db.close()
    }
  } catch (error) {
    throw inPlainWords(error, path)
  }
}

export function openToWrite(path: string): DatabaseSync {
  const db = new DatabaseSync(path, { timeout: 2_000 })
  db.exec(`
    pragma journal_mode = wal;
    pragma synchronous = full;
    pragma secure_delete = on;
    pragma trusted_schema = off;
    pragma journal_size_limit = 16777216;
    pragma wal_autocheckpoint = 2000;
  `)
  return db
}

export function openToRead(path: string): DatabaseSync {
  const db = new DatabaseSync(path, { readOnly: true, timeout: 100 })
  db.exec('pragma trusted_schema = off')
  return db
}

/**
 * Moves the log into the file and cuts it to nothing, so that no page as it was before stays in it.
 * `false`: others are using it all the time.
 */
export function emptyLog(path: string): boolean {
  const db = openToWrite(path)
  try {
    return emptyLogOf(db)
  } finally {
    db.close()
  }
}

export function emptyLogOf(db: DatabaseSync): boolean {
  const [done] = db.prepare('pragma wal_checkpoint(truncate)').all()
  return done?.['busy'] === 0
}

/** Which file this is, whatever its name. `undefined`: there is none. */
export function fileIdentity(path: string): string | undefined {
  const stat = statSync(path, { throwIfNoEntry: false })
  return stat && `${stat.dev}:${stat.ino}`
}

/** How many values a text takes: the highest number after a `$`. */
export function countParameters(sql: string): number {
  return Math.max(0, ...parametersOf(sql))
}

function parametersOf(sql: string): number[] {
  return Array.from(sql.matchAll(/\$(\d+)/g), ([, number]) => Number(number))
}

/**
 * `$1` becomes `?`, which SQLite binds by position; `?1` only where they are out of order, because
 * node then looks up the number of each place in a list. Nobody else writes during a transaction
 * here, so there are no rows to lock.
 */
export function toSqlite(sql: string): string {
  const inOrder = parametersOf(sql).every((number, index) => number === index + 1)
  return sql.replaceAll(/\$(\d+)/g, inOrder ? '?' : '?$1').replace(' for update skip locked', '')
}

/** Looks at every page and index. `undefined`: all is well. */
export function findDamage(path: string): string | undefined {
  try {
    return firstFinding(path, 'integrity_check')
  } catch (error) {
    return (error as Error).message
  }
}

function refuseDamage(path: string): void {
  const { size } = statSync(path)
  if (size === 0 || size > quickCheckBytes) return
  if (firstFinding(path, 'quick_check') !== undefined) throw new StoreRefused(damaged(path))
}

/** Read-only: closing a connection that may write would move the log into the file. */
function firstFinding(path: string, check: 'quick_check' | 'integrity_check'): string | undefined {
  const db = openToRead(path)
  try {
    const [finding] = db.prepare(`pragma ${check}(1)`).all()
    return finding?.[check] === 'ok' ? undefined : String(finding?.[check])
  } finally {
    db.close()
  }
}

function migrate(db: DatabaseSync, nowMs: number): void {
  db.exec('begin immediate')
  try {
    db.exec(
      'create table if not exists migration (number integer primary key, name text not null, at integer not null) strict',
    )
    const { last } = db.prepare('select coalesce(max(number), 0) as last from migration').get() as {
      last: number
    }
    for (const { number, name, sql } of dueMigrations(last)) {
      db.exec(sql)
      db.prepare('insert into migration (number, name, at) values (?, ?, ?)').run(
        number,
        name,
        nowMs,
      )
    }
    for (const sql of addFieldColumns(leadColumns(db))) db.exec(sql)
    db.exec('commit')
  } catch (error) {
    if (db.isTransaction) db.exec('rollback')
    throw error
  }
}

function leadColumns(db: DatabaseSync): string[] {
  return db
    .prepare(`select name from pragma_table_info('lead')`)
    .all()
    .map((row) => String(row['name']))
}

function inPlainWords(error: unknown, path: string): unknown {
  const { syscall, code } = error as NodeJS.ErrnoException
  if (syscall !== undefined) {
    return new StoreRefused(
      `The database ${path} cannot be made there (${code}). Choose another DATA_DIR or DATABASE_URL, or give this user the right to write there.`,
    )
  }
  const sentence = sentences[storageFault(error) ?? '']
  return sentence === undefined ? error : new StoreRefused(sentence(path))
}

const sentences: Record<string, (path: string) => string> = {
  damaged,
  'read-only': unwritable,
  'cannot-open': unwritable,
  locked: (path) =>
    `The database ${path} is locked by another program. Stop that program, then start again.`,
  full: (path) => `The disk that holds ${path} is full. Make room, then start again.`,
}

function unwritable(path: string): string {
  return `The database ${path} cannot be written. Give this user the right to write it and its folder.`
}

function damaged(path: string): string {
  return `The database ${path} is damaged. It was left as it is. Restore a backup in its place, or move it away to start with an empty one.`
}

/** For a file that came in place of another: is it one of ours, and of this version? */
export function isPrepared(path: string): boolean {
  if (!existsSync(path)) return false
  const db = openToRead(path)
  try {
    const { last } = db.prepare('select max(number) as last from migration').get() as {
      last: number
    }
    return last === newestMigration() && addFieldColumns(leadColumns(db)).length === 0
  } catch {
    return false
  } finally {
    db.close()
  }
}

/** By the primary result code of SQLite; `undefined` for a fault of the statement itself. */
export function storageFault(error: unknown): string | undefined {
  const code = (error as { errcode?: number }).errcode
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
