/**
 * Remembers in DATA_DIR where this node made its last backup. A folder that held backups and has none
 * now is most often a disk that is not mounted.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { Settings } from '../config.ts'
import { howToType } from '../words.ts'
import { listBackups, readBackupName } from './names.ts'

export type BackupPlace = Pick<Settings, 'BACKUP_TO' | 'DATA_DIR'>

/** `path`: of the backup that was made. */
export function noteLast(dataDir: string, path: string): void {
  writeFileSync(notePath(dataDir), `${path}\n`, { mode: 0o600 })
}

/** True if the last backup was made in another folder than BACKUP_TO, which was changed since. */
export function isMoved({ BACKUP_TO, DATA_DIR }: BackupPlace): boolean {
  const last = findLast(DATA_DIR)
  return last !== undefined && dirname(last) !== BACKUP_TO
}

/** True if the last backup was made in BACKUP_TO, and no backup of the installation is there now. */
export async function isLost(place: BackupPlace): Promise<boolean> {
  const last = findLast(place.DATA_DIR)
  if (last === undefined || isMoved(place)) return false
  const own = readBackupName(basename(last))?.installation
  // A disk that broke answers with an error of its own.
  const backups = await listBackups(dirname(last)).catch(() => [])
  return backups.every(({ installation }) => installation !== own)
}

export function lostWords(folder: string): string {
  const anew = `"${howToType(`backup --to ${folder}`)}" begins anew there`
  return `${folder} held backups, and there is none in it now; mount its disk or put them back, or ${anew}`
}

function findLast(dataDir: string): string | undefined {
  try {
    return readFileSync(notePath(dataDir), 'utf8').trim() || undefined
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

function notePath(dataDir: string): string {
  return join(dataDir, 'last-backup')
}
