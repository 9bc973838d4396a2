/** Opens, checks and migrates the database file, and puts SQL into SQLite's dialect. Used by both threads. */
import { closeSync, existsSync, openSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import { StoreRefused } from './engine.ts'
import { keepPrivate, makeFolder } from '../files.ts'
import type { DatabaseSchema, Migrated, NoteMigration } from './migrations.ts'
import { damaged, explainSqliteFault, storageFault } from './sqlite-faults.ts'
import { compareSchema, migrate } from './sqlite-schema.ts'

/** Files up to this size are checked at the start; larger ones by `doctor`. */
const quickCheckBytes = 32 * 1024 * 1024

/** For a start: creates the file if needed. Refuses one that is damaged or newer; runs the migrations. */
export function prepareFile(
  path: string,
  nowMs: number,
  {
    noteMigration,
    like,
  }: { noteMigration?: NoteMigration | undefined; like?: DatabaseSchema } = {},
): void {
  try {
    makeFolder(dirname(path))
    closeSync(openSync(path, 'a', 0o600))
    // Left by a power cut while the file was made. Only a connection that writes can roll it back.
    if (existsSync(`${path}-journal`)) openToWrite(path).close()
    refuseDamage(path)
    const migrated = migrateFile(path, nowMs, like)
    if (migrated !== undefined) noteMigration?.(migrated)
  } catch (error) {
    throw explainSqliteFault(error, path)
  }
}

function migrateFile(path: string, nowMs: number, like?: DatabaseSchema): Migrated | undefined {
  // SQLite gives new logs the mode of the file.
  for (const file of withLogs(path)) keepPrivate(file, 0o600)
  const db = openToWrite(path)
  try {
    return migrate(db, nowMs, like)
  } finally {
    db.close()
  }
}

/** The file, its write-ahead log and the index of that. */
export function withLogs(path: string): string[] {
  return [path, logOf(path), `${path}-shm`]
}

export function logOf(path: string): string {
  return `${path}-wal`
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
  return openReadOnly(path)
}

function openReadOnly(path: string | URL): DatabaseSync {
  const db = new DatabaseSync(path, { readOnly: true, timeout: 100 })
  db.exec('pragma trusted_schema = off')
  return db
}

/** Whether a log lies beside the file: a service runs on it, or was killed. */
export function hasLog(path: string): boolean {
  return existsSync(logOf(path)) || existsSync(`${path}-journal`)
}

/**
 * For a look that leaves no trace: a plain read-only connection creates a log where there is none.
 * Without a log nobody writes, so the file may be taken for unchangeable.
 */
export function openToLook(path: string): DatabaseSync {
  if (hasLog(path)) return openToRead(path)
  const url = pathToFileURL(path)
  url.searchParams.set('immutable', '1')
  return openReadOnly(url)
}

/** Moves the write-ahead log into the file and truncates it. `false`: another program is using it. */
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

/** Tells files apart, whatever their name. `undefined`: there is none. */
export function fileIdentity(path: string): string | undefined {
  const stat = statSync(path, { throwIfNoEntry: false })
  return stat && `${stat.dev}:${stat.ino}`
}

/** Checks every page and index. `undefined`: no damage. Throws where this user may not open the file. */
export function findDamage(path: string): string | undefined {
  try {
    return firstFinding(path, 'integrity_check')
  } catch (error) {
    if (storageFault(error) === 'cannot-open') throw explainSqliteFault(error, path)
    return (error as Error).message
  }
}

function refuseDamage(path: string): void {
  const { size } = statSync(path)
  if (size === 0 || size > quickCheckBytes) return
  if (firstFinding(path, 'quick_check') !== undefined) throw new StoreRefused(damaged(path))
}

/** Read-only: closing a writing connection would move the log into the file. */
function firstFinding(path: string, check: 'quick_check' | 'integrity_check'): string | undefined {
  const db = openToLook(path)
  try {
    const [finding] = db.prepare(`pragma ${check}(1)`).all()
    return finding?.[check] === 'ok' ? undefined : String(finding?.[check])
  } finally {
    db.close()
  }
}

/**
 * Whether the schema is that of this program. Refuses a newer one and that of another commit.
 * `undefined`: it is no database of this program.
 */
export function readSchema(path: string): ReturnType<typeof compareSchema> {
  const db = openToLook(path)
  try {
    return compareSchema(db)
  } finally {
    db.close()
  }
}

/**
 * `$1` becomes `?`, or `?1` where the numbers are out of order: node binds numbered parameters more
 * slowly. There is one writer, so no rows need a lock.
 */
export function toSqlite(sql: string): string {
  const inOrder = Array.from(sql.matchAll(/\$(\d+)/g)).every(
    ([, number], index) => Number(number) === index + 1,
  )
  return sql
    .replaceAll(/\$(\d+)/g, inOrder ? '?' : '?$1')
    .replace(/ for (?:update skip locked|share)\b/, '')
}
