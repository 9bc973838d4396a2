/** The checks of `doctor` on the data folder and its files: nobody but their owner may read them. */
import { statSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Settings } from '../config.ts'
import { isPostgres } from '../setting-values.ts'
import { withLogs } from '../store/engine/sqlite-file.ts'
import { databaseOf, fileOf } from '../store/open.ts'
import { secretPath } from '../store/secret.ts'
import { ok, warning } from './finding.ts'
import type { Finding } from './finding.ts'

export function checkFiles(settings: Settings): Finding[] {
  const { DATA_DIR } = settings
  const check = isPostgres(databaseOf(settings)) ? 'spool file' : 'database file'
  return [
    checkPrivate('data folder', [DATA_DIR], '700'),
    checkPrivate(check, withLogs(fileOf(settings)), '600'),
    checkPrivate('secret', [secretPath(DATA_DIR)], '600'),
  ]
}

/** `paths`: the first is the one that must be there after a start. */
function checkPrivate(check: string, paths: readonly string[], mode: string): Finding {
  if (statOf(paths[0]!) === undefined) return ok(check, 'will be made at the first start')
  for (const path of paths) {
    const stat = statOf(path)
    if (stat === undefined) continue
    if ((stat.mode & 0o077) !== 0) {
      return warning(check, `other users can read ${path}; run chmod ${mode} on it`)
    }
    // As after a restore by root.
    if (stat.isFile() && stat.uid !== statOf(dirname(path))?.uid) {
      return warning(check, `${path} belongs to another user than its folder; run chown on it`)
    }
  }
  return ok(check, 'readable by its owner only')
}

function statOf(path: string) {
  return statSync(path, { throwIfNoEntry: false })
}
