/** Whether a backup can be used: every byte of it, and by the drill a restore into a folder of its own. */
import { join } from 'node:path'
import type { Settings } from '../config.ts'
import { minuteMs } from '../time.ts'
import { plural } from '../contract/limits.ts'
import { databaseOf, openFileToRead, openLeadsToRead } from '../store/open.ts'
import { readSecret } from '../store/secret.ts'
import type { Store } from '../store/store.ts'
import { BackupRefused, openBackup, withWorkFolder, type OpenedBackup } from './file.ts'
import { refuseWithoutRoom } from './make.ts'
import { restoreBackup } from './restore.ts'

/** `dataDir`: the backup is unpacked there for a moment. Throws a `BackupRefused` that says why. */
export function verifyBackup(
  file: string,
  dataDir: string,
  keyFile?: string,
): Promise<OpenedBackup> {
  return withWorkFolder(dataDir, (work) => openBackup(file, work, keyFile))
}

export type DrillParts = {
  settings: Settings
  file: string
  keyFile?: string | undefined
  now: () => number
}

/** Restores a backup into a temporary folder, and compares it with the live database. */
export function drillBackup({ settings, file, keyFile, now }: DrillParts): Promise<OpenedBackup> {
  return withWorkFolder(settings.DATA_DIR, async (work) => {
    refuseWithoutRoom(settings, work)
    const [dataDir, contentDir] = [join(work, 'data'), join(work, 'content')]
    const place = { DATA_DIR: dataDir, DATABASE_URL: undefined, CONTENT_DIR: contentDir }
    const opened = await restoreBackup({ settings: place, file, keyFile, now })
    // With another one no receipt would open.
    if (!readSecret(dataDir).equals(readSecret(settings.DATA_DIR))) {
      throw new BackupRefused('its secret is not that of the service')
    }
    const restored = await openFileToRead(databaseOf(place))
    const live = await openLeadsToRead(settings)
    try {
      await refuseMissingLeads(opened, restored, live)
      return opened
    } finally {
      await restored.close()
      await live.close()
    }
  })
}

/** A lead has its time from before its commit, and so may be older than a backup that it missed. */
const commitMs = minuteMs

/** Leads come out of a journal later than their time says, so on PostgreSQL a missing lead proves nothing. */
async function refuseMissingLeads(
  opened: OpenedBackup,
  restored: Store,
  live: Store,
): Promise<void> {
  if (opened.engine === 'postgres') return
  const before = Date.parse(opened.made) - commitMs
  const [there, here] = [await countBefore(restored, before), await countBefore(live, before)]
  if (there >= here) return
  throw new BackupRefused(`it lacks ${plural(here - there, 'lead')} that came before it`)
}

async function countBefore(store: Store, before: number): Promise<number> {
  const counts = await store.countReceived({ from: 0, before })
  return Object.values(counts).reduce((sum, count) => sum + count, 0)
}
