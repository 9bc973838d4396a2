/** The checks of `doctor` on files: data folder, database, secret, disk and backups. */
import { accessSync, constants, existsSync, readdirSync, statfsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { folderOfBackups, installationOf, listBackups } from '../backup/names.ts'
import { keptPrefix } from '../backup/restore.ts'
import { type Settings } from '../config.ts'
import { isPostgres } from '../setting-values.ts'
import { isDrilled, isOverdue, readBackupState, sizeInWords } from '../store/backup-state.ts'
import { lowDiskMib } from '../store/files.ts'
import { withLogs } from '../store/engine/sqlite-file.ts'
import { databaseOf, fileOf, type Loss } from '../store/open.ts'
import { readSecret, secretPath } from '../store/secret.ts'
import { type Store } from '../store/store.ts'
import { failed, ok, warning, type Finding } from './output.ts'

/** This user may use them, and nobody else. */
export function checkFiles(settings: Settings, loss: Loss | undefined): Finding[] {
  const { DATA_DIR } = settings
  const folder = checkPrivate('data folder', [DATA_DIR], '700')
  if (folder.result === 'failed') return [folder]
  const onServer = isPostgres(databaseOf(settings))
  const secret = checkPrivate('secret', [secretPath(DATA_DIR)], '600')
  return [
    folder,
    ...(onServer || loss?.of === 'database'
      ? []
      : [checkPrivate('database file', withLogs(fileOf(settings)), '600')]),
    loss?.of === 'secret' ? failed('secret', loss.why.message) : secret,
  ]
}

/** `paths`: a start makes the first. */
function checkPrivate(check: string, paths: readonly string[], mode: string): Finding {
  for (const path of paths) {
    const block = findBlock(path)
    if (block !== undefined) {
      return failed(check, `${block}; run chown on it, or run doctor as the user of the service`)
    }
    if (existsSync(path) && (statSync(path).mode & 0o077) !== 0) {
      return warning(check, `other users can read ${path}; run chmod ${mode} on it`)
    }
  }
  const isMade = existsSync(paths[0]!)
  return ok(check, isMade ? 'readable by its owner only' : 'will be made at the first start')
}

/** Why this user cannot use a file or folder, or make it in the next folder above. */
function findBlock(path: string): string | undefined {
  let there = path
  while (!existsSync(there)) there = dirname(there)
  try {
    accessSync(there, constants.R_OK | constants.W_OK)
    return undefined
  } catch (error) {
    return `this user may not read and write ${there} (${(error as NodeJS.ErrnoException).code})`
  }
}

const mebibyte = 1024 * 1024

export function checkDisk(settings: Settings): Finding {
  let folder = dirname(fileOf(settings))
  while (!existsSync(folder)) folder = dirname(folder)
  const { bavail, bsize } = statfsSync(folder)
  const free = Math.floor((bavail * bsize) / mebibyte)
  if (free < 50) return failed('disk', `${free} MiB free; free some space before leads are refused`)
  if (free < lowDiskMib) return warning('disk', `${free} MiB free; free some space soon`)
  return ok('disk', `${free} MiB free`)
}

export async function checkBackups(store: Store, settings: Settings): Promise<Finding[]> {
  return [await checkNewest(store, settings), ...checkReplaced(settings)]
}

async function checkNewest(store: Store, settings: Settings): Promise<Finding> {
  const { BACKUP_TO, BACKUP_EVERY, DATA_DIR } = settings
  const folder = folderOfBackups(settings)
  const block = findBlock(folder)
  if (block !== undefined) {
    return failed('backup', `${block}; run chown on it, or choose another BACKUP_TO`)
  }
  const state = await readBackupState(store)
  const { made } = state
  const cure = BACKUP_TO === undefined ? 'set BACKUP_TO' : 'the log tells why (backup.failed)'
  if (made === undefined) return warning('backup', `none was made yet; ${cure}`)
  const checked = isDrilled(state, Date.now()) ? ', restored and checked' : ''
  const newest = `the newest is of ${new Date(made.at).toISOString()}, ${sizeInWords(made.bytes)}${checked}`
  if (BACKUP_TO === undefined) return ok('backup', `${newest}; made by command only`)
  if ((await listBackups(folder, installationOf(readSecret(DATA_DIR)))).length === 0) {
    return warning('backup', `there is none in ${folder} yet; ${newest}, but elsewhere`)
  }
  const isLate = isOverdue(state, BACKUP_EVERY, Date.now())
  return isLate ? warning('backup', `${newest}; ${cure}`) : ok('backup', newest)
}

/** Erasing does not reach what a restore replaced. */
function checkReplaced(settings: Settings): Finding[] {
  const folders = new Set([settings.DATA_DIR, dirname(fileOf(settings))])
  const names = [...folders].flatMap((folder) => readdirSync(folder))
  const why = 'was replaced by a restore, and what is erased later stays in it'
  return names
    .filter((name) => name.startsWith(keptPrefix))
    .map((name) => warning('restored', `${name} ${why}; delete it when nothing in it is needed`))
}
