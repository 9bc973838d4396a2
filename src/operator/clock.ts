/** Finds what a clock that was ahead has left, in sentences for `doctor`. */
import { basename } from 'node:path'
import { folderOfBackups, isNamedForFuture, listBackups } from '../backup/names.ts'
import type { Settings } from '../config.ts'
import { isOfFuture } from '../store/clock.ts'
import type { Store } from '../store/store.ts'

export async function findFuture(store: Store, settings: Settings, now: number): Promise<string[]> {
  const [newest] = await store.views.list({ limit: 1 })
  const found: string[] = []
  if (newest !== undefined && isOfFuture(newest.receivedAt, now)) {
    found.push(
      `the newest lead is of ${dayAndTimeOf(newest.receivedAt)}, which is in the future; ${cure}. This warning stays until that lead is erased`,
    )
  }
  return [...found, ...(await findNames(folderOfBackups(settings), now))]
}

const cure = 'check the clock; if it is right, it was ahead when this was written'

async function findNames(folder: string, now: number): Promise<string[]> {
  // Whether the folder can be read is another check.
  const backups = await listBackups(folder).catch(() => [])
  const ofFuture = backups.filter((backup) => isNamedForFuture(backup, now))
  if (ofFuture.length === 0) return []
  const last = basename(ofFuture[0]!.path)
  return [
    `backups in ${folder} that are named for the future: ${ofFuture.length}, up to ${last}; BACKUP_KEEP never deletes them: check the clock, and delete those that are not needed`,
  ]
}

function dayAndTimeOf(at: number): string {
  return new Date(at).toISOString()
}
