/** An installation with leads, for tests that back it up. No service runs on it. */
import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { makeBackup } from '../../src/backup/make.ts'
import type { Made } from '../../src/backup/make.ts'
import { readSettings } from '../../src/config.ts'
import type { Settings } from '../../src/config.ts'
import { openLeads } from '../../src/store/open.ts'
import { makeSecret } from '../../src/store/secret.ts'
import type { Store } from '../../src/store/store.ts'
import type { Cleaner } from './cleaner.ts'
import { newInstallation } from './installation.ts'
import type { Installation } from './installation.ts'
import { newLead } from './new-lead.ts'
import { temporaryFolder } from './service.ts'

export type Place = Installation['place']

export type BackedUp = {
  place: Place
  settings: Settings
  execute: Installation['execute']
  secret: Buffer
  withStore<T>(work: (store: Store) => Promise<T>): Promise<T>
  /** A bundle in a folder of its own. */
  backUp(key?: string): Promise<Made>
}

export async function installationToBackUp(t: Cleaner, leads = 20): Promise<BackedUp> {
  const { place, execute } = await newInstallation(t)
  const bundles = temporaryFolder(t)
  const settings = settingsOf(place)
  const secret = makeSecret(place.dataDir)
  const installation = { place, settings, execute, secret, withStore, backUp }
  await withStore((store) =>
    Promise.all(Array.from({ length: leads }, (_, index) => store.keepLead(newLead(index)))),
  )
  return installation

  async function withStore<T>(work: (store: Store) => Promise<T>): Promise<T> {
    const store = await openLeads(settings)
    try {
      return await work(store)
    } finally {
      await store.close()
    }
  }

  function backUp(key?: string): Promise<Made> {
    const to = mkdtempSync(join(bundles, 'to-'))
    const withKey = { ...settings, BACKUP_KEY: key }
    return makeBackup({ settings: withKey, to, now: Date.now })
  }
}

export function settingsOf({ dataDir, env }: Place): Settings {
  const read = readSettings({ DATA_DIR: dataDir, ...env })
  if ('settings' in read) return read.settings
  throw new Error(read.problems.join(' '))
}
