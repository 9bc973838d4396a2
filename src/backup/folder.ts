/** Where backups are. */
import { join } from 'node:path'
import type { Settings } from '../config.ts'

/** BACKUP_TO, or a folder beside the database. */
export function folderOfBackups({
  BACKUP_TO,
  DATA_DIR,
}: Pick<Settings, 'BACKUP_TO' | 'DATA_DIR'>): string {
  return BACKUP_TO ?? join(DATA_DIR, 'backups')
}
