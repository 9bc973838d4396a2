/** The checks of `doctor` on the data folder and its files: this user may use them, and nobody else. */
import { accessSync, constants, existsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { type Settings } from '../config.ts'
import { isPostgres } from '../setting-values.ts'
import { withLogs } from '../store/engine/sqlite-file.ts'
import { databaseOf, fileOf, type Loss } from '../store/open.ts'
import { secretPath } from '../store/secret.ts'
import { failed, ok, warning, type Finding } from './finding.ts'

export function checkFiles(settings: Settings, loss: Loss | undefined): Finding[] {
  const { DATA_DIR } = settings
  const file = fileOf(settings)
  // With PostgreSQL there is a file only while leads wait in the journal.
  const files = isPostgres(databaseOf(settings))
    ? [file].filter((path) => existsSync(path))
    : withLogs(file)
  return [
    checkFolder(DATA_DIR),
    ...(loss?.of === 'database' || files.length === 0
      ? []
      : [checkPrivate('database file', files, '600')]),
    loss?.of === 'secret'
      ? failed('secret', loss.why.message)
      : checkPrivate('secret', [secretPath(DATA_DIR)], '600'),
  ]
}

/** `paths`: the first is the one that must be there after a start. */
function checkPrivate(check: string, paths: readonly string[], mode: string): Finding {
  for (const [index, path] of paths.entries()) {
    const block = findBlock(path, constants.R_OK | constants.W_OK)
    if (block === 'ENOENT' && index === 0) return ok(check, 'will be made at the first start')
    if (block === 'ENOENT') continue
    if (block !== undefined) {
      const cure = 'run chown on it, or run doctor as the user of the service'
      return failed(check, `this user may not read and write ${path} (${block}); ${cure}`)
    }
    if ((statSync(path).mode & 0o077) !== 0) {
      return warning(check, `other users can read ${path}; run chmod ${mode} on it`)
    }
  }
  return ok(check, 'readable by its owner only')
}

function checkFolder(folder: string): Finding {
  if (existsSync(folder)) return checkPrivate('data folder', [folder], '700')
  const block = findBlockAbove(folder)
  if (block === undefined) return ok('data folder', 'will be made at the first start')
  const cure = `make ${folder} and run chown on it, or choose another DATA_DIR`
  return failed('data folder', `${block}; ${cure}`)
}

/** Why a folder that does not exist cannot be made: that is done in the next one above that does. */
export function findBlockAbove(folder: string): string | undefined {
  let above = folder
  while (!existsSync(above)) above = dirname(above)
  const block = findBlock(above, constants.W_OK)
  return block && `this user may not write ${above} (${block})`
}

/** The code of the system, such as EACCES. `undefined`: this user may. */
export function findBlock(path: string, mode: number): string | undefined {
  try {
    accessSync(path, mode)
    return undefined
  } catch (error) {
    return (error as NodeJS.ErrnoException).code
  }
}
