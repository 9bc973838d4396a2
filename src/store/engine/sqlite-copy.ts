/** Copies a database file beside others that use it, and puts another one in its place. */
import { existsSync, linkSync, renameSync, rmSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { giveToOwnerOf } from '../ownership.ts'
import { StoreRefused } from './engine.ts'
import { syncFolder } from './folder.ts'
import { lastNumber } from './migrations.ts'
import { storageFault } from './sqlite-faults.ts'
import { emptyLogOf, openToLook, openToRead, openToWrite } from './sqlite-file.ts'
import { doneMigrations } from './sqlite-schema.ts'

/**
 * Copies the database as it is at one moment: a read transaction holds for as long as it takes. `into`
 * is an empty file. The copy needs no log.
 */
export function copyFile(path: string, into: string): void {
  const db = openToRead(path)
  try {
    db.prepare('vacuum into ?').run(into)
  } finally {
    db.close()
  }
}

/** Of any schema. `schema`: the number of its last migration; 0 where it is no database of this program. */
export function describeFile(path: string): {
  schema: number
  leads: number
  events: number
} {
  const db = openToLook(path)
  try {
    const [table] = db.prepare(`select 1 from sqlite_schema where name = 'migration'`).all()
    const schema = table === undefined ? 0 : lastNumber(doneMigrations(db))
    if (schema === 0) return { schema, leads: 0, events: 0 }
    const sql =
      'select (select count(*) from lead) as leads, (select count(*) from event) as events'
    const { leads, events } = db.prepare(sql).get() as { leads: number; events: number }
    return { schema, leads, events }
  } finally {
    db.close()
  }
}

/**
 * Puts the file `by` in the place of the database, which stays as `keepAs`. All three are in one
 * folder. A service that runs notices it at its next read or commit. The log must be empty and stay so
 * until it is deleted: SQLite would take it for that of the new file.
 */
export function replaceFile(path: string, by: string, keepAs: string): void {
  const isThere = existsSync(path)
  giveToOwnerOf(by, dirname(path))
  if (isThere && !closeLog(path)) holdStill(path)
  else
    for (const log of logsOf(path)) if (existsSync(log)) renameSync(log, log.replace(path, keepAs))
  if (isThere) linkSync(path, keepAs)
  renameSync(by, path)
  for (const log of logsOf(path)) rmSync(log, { force: true })
  while (held.length > 0) retire(held.pop()!)
  syncFolder(dirname(path))
}

function logsOf(path: string): string[] {
  return [`${path}-wal`, `${path}-shm`]
}

/** The last one to close a file moves its log into it and deletes that. `false`: a service runs on it. */
function closeLog(path: string): boolean {
  try {
    const db = openToWrite(path)
    emptyLogOf(db)
    db.close()
  } catch (error) {
    // Whoever restores a backup over a damaged file has the right to. Its log is kept with it.
    if (storageFault(error) === 'damaged') return true
    throw error
  }
  return !logsOf(path).some((log) => existsSync(log))
}

const tries = 100
/** Nobody else can write while one of these is in a transaction. */
const held: DatabaseSync[] = []
/** Closing a connection to a file that was moved would unlink the log of the file in its place. */
const retired: DatabaseSync[] = []

function holdStill(path: string): void {
  const db = openToWrite(path)
  for (let left = tries; left > 0; left -= 1) {
    if (!emptyLogOf(db)) continue
    db.exec('begin immediate')
    if ((statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0) === 0) {
      held.push(db)
      return
    }
    db.exec('rollback')
  }
  db.close()
  throw new StoreRefused(
    `Another program keeps the database ${path} busy. Stop the service, or try again.`,
  )
}

function retire(db: DatabaseSync): void {
  db.exec('rollback')
  retired.push(db)
}
