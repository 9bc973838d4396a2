/** Makes a backup before a database file is migrated: the way back to the program of before. */
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Settings } from '../config.ts'
import type { Report } from '../log.ts'
import { StoreRefused } from '../store/engine/engine.ts'
import { newestMigration } from '../store/engine/migrations.ts'
import { describeFile } from '../store/engine/sqlite-copy.ts'
import { databaseOf } from '../store/open.ts'
import { readSecret } from '../store/secret.ts'
import { folderOfBackups } from './folder.ts'
import { listBundles } from './list.ts'
import { makeBackup } from './make.ts'

const kept = 3

export function folderBeforeMigration(settings: Parameters<typeof folderOfBackups>[0]): string {
  return join(folderOfBackups(settings), 'before-migration')
}

export async function backUpBeforeMigration(
  settings: Settings,
  report: Report,
  now: () => number,
): Promise<void> {
  const { schema } = describeFile(databaseOf(settings))
  const to = folderBeforeMigration(settings)
  try {
    // The start would make it anyway.
    readSecret(settings.DATA_DIR)
    const { path, leads, bytes } = await makeBackup({ settings, to, now })
    report('backup.before-migration', { path, leads, bytes, schema, newest: newestMigration() })
  } catch (error) {
    const { message } = error as Error
    throw new StoreRefused(
      `The database has schema ${schema} and must be migrated to ${newestMigration()}, but the backup before that could not be made in ${to} (${message}). Nothing was changed. Make room there, or set BACKUP_TO, and start again.`,
    )
  }
  for (const { path } of (await listBundles(to)).slice(kept)) await rm(path, { force: true })
}
