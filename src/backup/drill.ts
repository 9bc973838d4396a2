/** The drill: the newest backup is restored into a folder of its own and compared with the live database. */
import { join } from 'node:path'
import type { Settings } from '../config.ts'
import { minuteMs } from '../durations.ts'
import { LeadIds } from '../lead/ids.ts'
import { plural } from '../plural.ts'
import { openFileToRead, openLeadsToRead } from '../store/open.ts'
import { renewFile } from '../store/restored.ts'
import { readSecret } from '../store/secret.ts'
import type { Store } from '../store/store.ts'
import { databaseName } from './manifest.ts'
import type { Manifest } from './manifest.ts'
import { openBundle } from './open-bundle.ts'
import { BundleRefused } from './refused.ts'
import { withWorkFolder } from './work-folder.ts'

export type DrillParts = {
  settings: Settings
  /** The bundle. */
  path: string
  keyFile?: string | undefined
  now: () => number
}

/** Throws a `BundleRefused` that says what is wrong with it. */
export function drillBackup({ settings, path, keyFile, now }: DrillParts): Promise<Manifest> {
  return withWorkFolder(settings.DATA_DIR, async (folder) => {
    const manifest = await openBundle(path, folder, keyFile)
    const file = join(folder, databaseName)
    await renewFile(file, now(), () => Promise.resolve())
    const restored = await openFileToRead(file)
    const live = await openLeadsToRead(settings)
    try {
      await refuseMissingLeads(manifest, restored, live)
      await refuseClosedReceipt(restored, settings.DATA_DIR, folder)
      return manifest
    } finally {
      await restored.close()
      await live.close()
    }
  })
}

/** A lead has its time from before its commit, and so may be older than a backup that it missed. */
const commitMs = minuteMs

/** Out of a spool leads come later than their time says, so on PostgreSQL nothing follows. */
async function refuseMissingLeads(manifest: Manifest, restored: Store, live: Store): Promise<void> {
  if (manifest.engine === 'postgres') return
  const before = Date.parse(manifest.made) - commitMs
  const [there, here] = [await countBefore(restored, before), await countBefore(live, before)]
  if (there >= here) return
  throw new BundleRefused(`it lacks ${plural(here - there, 'lead')} that came before it`)
}

async function countBefore(store: Store, before: number): Promise<number> {
  const counts = await store.countReceived({ from: 0, before })
  return Object.values(counts).reduce((sum, count) => sum + count, 0)
}

/** Given out by the secret of the service, opened by that of the backup. */
async function refuseClosedReceipt(restored: Store, dataDir: string, folder: string) {
  const [lead] = await restored.listLeads({ limit: 1 })
  if (lead === undefined) return
  const token = new LeadIds(readSecret(dataDir)).tokenOf(lead.id)
  const id = new LeadIds(readSecret(folder)).readToken(token)
  if (id !== lead.id) throw new BundleRefused('no receipt opens with its secret')
}
