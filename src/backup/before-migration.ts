/** Makes a backup before a database is migrated: the way back to the program of before. */
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Settings } from '../config.ts'
import { errorFacts } from '../log.ts'
import type { Report } from '../log.ts'
import { StoreRefused } from '../store/engine/engine.ts'
import { newestMigration } from '../store/engine/migrations.ts'
import { folderOfBackups } from './folder.ts'
import { listBundles } from './list.ts'
import { makeBackup } from './make.ts'

const kept = 3

export function folderBeforeMigration(settings: Parameters<typeof folderOfBackups>[0]): string {
  return join(folderOfBackups(settings), 'before-migration')
}

export type BeforeMigrationParts = {
  settings: Settings
  /** That of the database. */
  schema: number
  report: Report
  now: () => number
}

export async function backUpBeforeMigration(parts: BeforeMigrationParts): Promise<void> {
  const { settings, schema, report, now } = parts
  const to = folderBeforeMigration(settings)
  try {
    const { path, leads, bytes } = await makeBackup({ settings, to, freeBytes: 0, now })
    report('backup.before-migration', { path, leads, bytes, schema, newest: newestMigration() })
  } catch (error) {
    const { message } = error as Error
    throw new StoreRefused(
      `The database has schema ${schema} and must be migrated to ${newestMigration()}, but the backup before that could not be made in ${to} (${message}). Nothing was changed. Make room there, or set BACKUP_TO, and start again.`,
    )
  }
  for (const { path } of (await listBundles(to)).slice(kept)) {
    await rm(path, { force: true }).catch((error: unknown) => {
      report('backup.not-removed', { path, ...errorFacts(error) })
    })
  }
}
