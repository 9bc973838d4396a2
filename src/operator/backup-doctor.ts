/** What `doctor` finds out about backups: whether there is one, and how old it is. */
import { constants, readdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { folderOfBackups, installationOf, listBackups } from '../backup/names.ts'
import { keptPrefix } from '../backup/restore.ts'
import type { Settings } from '../config.ts'
import { minuteMs } from '../durations.ts'
import { plural } from '../plural.ts'
import { isDrilled, isOverdue, readBackupState, sizeInWords } from '../store/backup-state.ts'
import { fileOf } from '../store/open.ts'
import { readSecret } from '../store/secret.ts'
import type { Store } from '../store/store.ts'
import { findBlock, findBlockAbove } from './doctor-files.ts'
import { failed, ok, warning } from './finding.ts'
import type { Finding } from './finding.ts'

export async function checkBackups(
  store: Pick<Store, 'findOnce'>,
  settings: Settings,
): Promise<Finding> {
  const { BACKUP_TO, BACKUP_EVERY } = settings
  const folder = folderOfBackups(settings)
  const block = findBlock(folder, constants.R_OK | constants.W_OK)
  if (block === 'ENOENT') {
    const blockAbove = findBlockAbove(folder)
    const advice = `make ${folder} and run chown on it, or choose another BACKUP_TO`
    if (blockAbove !== undefined) return failed('backup', `${blockAbove}; ${advice}`)
  } else if (block !== undefined) {
    return failed(
      'backup',
      `this user may not read and write ${folder} (${block}); run chown on it`,
    )
  }
  const state = await readBackupState(store)
  const { made } = state
  const advice = BACKUP_TO === undefined ? 'set BACKUP_TO' : 'the log tells why (backup.failed)'
  if (made === undefined) return warning('backup', `none was made yet; ${advice}`)
  const checked = isDrilled(state, Date.now()) ? ', restored and checked' : ''
  const age = `the newest is ${inWords(Date.now() - made.at)} old, ${sizeInWords(made.bytes)}${checked}`
  if (BACKUP_TO === undefined) return ok('backup', `${age}; made by command only`)
  if ((await listBackups(folder, installationOf(readSecret(settings.DATA_DIR)))).length === 0) {
    return warning('backup', `there is none in ${folder} yet; ${age}, but elsewhere`)
  }
  return isOverdue(state, BACKUP_EVERY, Date.now())
    ? warning('backup', `${age}; ${advice}`)
    : ok('backup', age)
}

/** Erasing does not reach what a restore replaced. */
export function checkReplaced(settings: Settings): Finding[] {
  const folders = new Set([settings.DATA_DIR, dirname(fileOf(settings))])
  const names = [...folders].flatMap((folder) => readdirSync(folder))
  return names
    .filter((name) => name.startsWith(keptPrefix))
    .map((name) =>
      warning(
        'restored',
        `${name} was replaced by a restore, and what is erased later stays in it; delete it when nothing in it is needed`,
      ),
    )
}

function inWords(ms: number): string {
  const minutes = Math.floor(ms / minuteMs)
  if (minutes < 120) return plural(minutes, 'minute')
  return minutes < 48 * 60
    ? plural(Math.floor(minutes / 60), 'hour')
    : plural(Math.floor(minutes / 1440), 'day')
}
