/** Checks a copied database for damage, and counts what is in it. */
import { newestMigration } from '../store/engine/migrations.ts'
import { describeFile } from '../store/engine/sqlite-copy.ts'
import { findDamage } from '../store/engine/sqlite-file.ts'
import type { Manifest } from './manifest.ts'
import { BundleRefused } from './refused.ts'

export type Counts = Pick<Manifest, 'leads' | 'events'>

/** Opens the file as one that nobody changes: it stays as it is, byte for byte. */
export function checkCopy(path: string): Counts {
  const damage = findDamage(path)
  if (damage !== undefined) throw new BundleRefused(`its database is damaged (${damage})`)
  const { schema, leads, events } = describe(path)
  refuseSchema(schema)
  return { leads, events }
}

/** Its tables may be others, under names of ours. */
function describe(path: string): ReturnType<typeof describeFile> {
  try {
    return describeFile(path)
  } catch {
    return { schema: 0, leads: 0, events: 0 }
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
