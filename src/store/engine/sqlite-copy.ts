/** Copies a database file beside others that use it, and puts another one in its place. */
import { existsSync, linkSync, renameSync } from 'node:fs'
import { dirname } from 'node:path'
import { StoreRefused } from './engine.ts'
import { giveToOwnerOf, syncFolder } from '../files.ts'
import { lastNumber } from './migrations.ts'
import { storageFault } from './sqlite-faults.ts'
import { openToLook, openToRead, openToWrite } from './sqlite-file.ts'
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

/** Describes a database of any schema. `schema`: the number of its last migration; 0 where it is no database of this program. */
export function describeFile(path: string): { schema: number; leads: number } {
  const db = openToLook(path)
  try {
    const [table] = db.prepare(`select 1 from sqlite_schema where name = 'migration'`).all()
    const schema = table === undefined ? 0 : lastNumber(doneMigrations(db))
    if (schema === 0) return { schema, leads: 0 }
    const { leads } = db.prepare('select count(*) as leads from lead').get() as { leads: number }
    return { schema, leads }
  } finally {
    db.close()
  }
}

/**
 * Puts the file `by` in the place of the database, which stays as `keepAs`. All three are in one
 * folder, and no service runs. The log goes first: SQLite would take it for that of the new file.
 */
export function replaceFile(path: string, by: string, keepAs: string): void {
  giveToOwnerOf(by, dirname(path))
  if (existsSync(path)) {
    closeLog(path, keepAs)
    linkSync(path, keepAs)
  }
  renameSync(by, path)
  syncFolder(dirname(path))
}

/** The last one to close a file moves its log into it and deletes that. */
function closeLog(path: string, keepAs: string): void {
  try {
    openToWrite(path).close()
  } catch (error) {
    // Whoever restores a backup over a damaged file has the right to. Its log is kept with it.
    if (storageFault(error) !== 'damaged') throw error
    for (const log of logsOf(path)) if (existsSync(log)) renameSync(log, log.replace(path, keepAs))
  }
  if (!logsOf(path).some((log) => existsSync(log))) return
  throw new StoreRefused(`Another program uses the database ${path}. Stop it, then try again.`)
}

function logsOf(path: string): string[] {
  return [`${path}-wal`, `${path}-shm`]
}
