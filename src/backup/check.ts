/** Checks a copied database for damage, and counts what is in it. */
import { newestMigration } from '../store/engine/migrations.ts'
import { describeFile } from '../store/engine/sqlite-copy.ts'
import { findDamage, readSchema } from '../store/engine/sqlite-file.ts'
import { openFileToRead } from '../store/open.ts'
import { verifyEvents } from '../store/verify.ts'
import type { Manifest } from './manifest.ts'
import { BundleRefused } from './refused.ts'

export type Counts = Pick<Manifest, 'leads' | 'events' | 'breaks'>

/** Opens the file as one that nobody changes: it stays as it is, byte for byte. */
export async function checkCopy(path: string): Promise<Counts> {
  const damage = findDamage(path)
  if (damage !== undefined) throw new BundleRefused(`its database is damaged (${damage})`)
  const { schema, leads } = describe(path)
  refuseSchema(schema)
  // An older schema lacks tables that the check of events reads.
  if (readSchema(path) !== 'current') return { leads }
  const store = await openFileToRead(path)
  try {
    const verdict = await verifyEvents(store)
    return { leads: verdict.leads, events: verdict.events, breaks: verdict.breaks.length }
  } finally {
    await store.close()
  }
}

/** Its tables may be others, under names of ours. */
function describe(path: string): ReturnType<typeof describeFile> {
  try {
    return describeFile(path)
  } catch {
    return { schema: 0, leads: 0 }
  }
}

function refuseSchema(schema: number): void {
  if (schema === 0) throw new BundleRefused('its database is not one of this program')
  const newest = newestMigration()
  if (schema <= newest) return
  throw new BundleRefused(
    `its database was written by a newer version of this program (schema ${schema}; this program knows ${newest}). Use the newer version`,
  )
}
