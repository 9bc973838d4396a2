/** An installation with leads, for tests that back it up. No service runs on it. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { makeBackup, type Made } from '../../src/backup/make.ts'
import { restoreBackup, type RestoreParts, type Restored } from '../../src/backup/restore.ts'
import { nobody } from '../../src/contract/notices.ts'
import { readSettings, type Settings } from '../../src/config.ts'
import { openLeads } from '../../src/store/open.ts'
import { makeSecret } from '../../src/store/secret.ts'
import { Store } from '../../src/store/store.ts'
import { newInstallation, type Installation } from './engines.ts'
import { openKept } from './kept-database.ts'
import { newLead } from './leads.ts'
import { temporaryFolder, type Cleaner } from './service.ts'

export type Place = Installation['place']

export type BackedUp = {
  place: Place
  settings: Settings
  execute: Installation['execute']
  secret: Buffer
  withStore<T>(work: (store: Store) => Promise<T>): Promise<T>
  backUp(key?: string): Promise<Made>
}

const leadsAtOnce = 20

export async function installationToBackUp(t: Cleaner, leads = 20): Promise<BackedUp> {
  const { place, execute } = await newInstallation(t, { isMigrated: true })
  const backups = temporaryFolder(t)
  const settings = settingsOf(place)
  const secret = makeSecret(place.dataDir)
  await withStoreOf(settings, async (store) => {
    // Few at a time: on a busy machine the last of many would not get a connection.
    for (let index = 0; index < leads; index += leadsAtOnce) {
      const count = Math.min(leadsAtOnce, leads - index)
      const some = Array.from({ length: count }, (_, more) => newLead(index + more))
      await Promise.all(some.map((lead) => store.leads.keep(lead)))
    }
  })
  return {
    place,
    settings,
    execute,
    secret,
    withStore: (work) => withStoreOf(settings, work),
    backUp(key) {
      const to = mkdtempSync(join(backups, 'to-'))
      return makeBackup({ settings: { ...settings, BACKUP_KEY: key }, to, now: Date.now })
    },
  }
}

export async function withStoreOf<T>(
  settings: Settings,
  work: (store: Store) => Promise<T>,
): Promise<T> {
  const kept = openKept(settings.DATABASE_URL)
  const store = kept ? new Store(kept, nobody, settings.DATA_DIR) : await openLeads(settings)
  try {
    return await work(store)
  } finally {
    await store.close()
  }
}

/** A place where nothing was yet, on the engine of this run, with content of its own or none. A server may have tables. */
export async function emptyPlace(t: Cleaner, options = { isMigrated: true }): Promise<Settings> {
  const { place } = await newInstallation(t, options)
  const machine = temporaryFolder(t)
  const [DATA_DIR, CONTENT_DIR] = [join(machine, 'data'), join(machine, 'content')]
  return { ...settingsOf(place), DATA_DIR, CONTENT_DIR }
}

export function restore(
  settings: Settings,
  file: string,
  more: Partial<RestoreParts> = {},
): Promise<Restored> {
  return restoreBackup({ settings, file, ...more })
}

export function settingsOf({ dataDir, env }: Place): Settings {
  const read = readSettings({ DATA_DIR: dataDir, ...env })
  if ('settings' in read) return read.settings
  throw new Error(read.problems.join(' '))
}

/** Programs that open a backup are tried where they are. */
export function hasTool(name: string): boolean {
  try {
    execFileSync('which', [name])
    return true
  } catch {
    return false
  }
}
