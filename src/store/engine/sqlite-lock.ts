/**
 * Lets only one service use a data folder, because two would overwrite each other's journal. The
 * kernel releases the lock of a killed process.
 */
import { closeSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ReportEvent } from '../../log.ts'
import { StoreRefused } from './engine.ts'
import { makeFolder } from '../files.ts'
import { explainSqliteFault, storageFault } from './sqlite-file.ts'

/** During a restart, the old service may still be finishing its last requests. */
const patienceMs = 10_000
const pauseMs = 100

/** Without `report`, throws at once if the lock is taken. */
export async function takeLock(
  path: string,
  report?: ReportEvent,
): Promise<{ release: () => void }> {
  const endsAt = performance.now() + (report ? patienceMs : 0)
  for (let isFirst = true; ; isFirst = false) {
    const db = tryToLock(path)
    if (db !== undefined) return { release: () => db.close() }
    if (performance.now() > endsAt) {
      throw new StoreRefused(
        `${path} is in use by a running service. Stop that one first; a data folder has one service.`,
      )
    }
    if (isFirst)
      report?.('database.in-use', { note: 'Another service uses it. Waiting for its end.' })
    await sleep(pauseMs)
  }
}

function tryToLock(path: string): DatabaseSync | undefined {
  const file = `${path}-lock`
  let db: DatabaseSync | undefined
  try {
    makeFolder(dirname(path))
    closeSync(openSync(file, 'a', 0o600))
    db = new DatabaseSync(file, { timeout: 0 })
    db.exec('begin exclusive')
    return db
  } catch (error) {
    db?.close()
    if (storageFault(error) === 'locked') return undefined
    throw explainSqliteFault(error, file)
  }
}
