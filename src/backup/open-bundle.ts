/** Unpacks a bundle and compares it with its manifest. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { StoreRefused } from '../store/engine/engine.ts'
import { readSecret } from '../store/secret.ts'
import { unpackBundle } from './bundle.ts'
import { checkCopy } from './check.ts'
import type { Counts } from './check.ts'
import { databaseName, installationOf, manifestName, readManifest, secretName } from './manifest.ts'
import type { Manifest, Part } from './manifest.ts'
import { BundleRefused } from './refused.ts'

/** `folder`: an empty one. Throws a `BundleRefused` that says why. */
export async function openBundle(
  path: string,
  folder: string,
  keyFile?: string,
): Promise<Manifest> {
  const unpacked = await unpackBundle(path, folder, keyFile)
  const manifest = readManifest(readText(join(folder, manifestName)))
  unpacked.delete(manifestName)
  refuseOtherParts(manifest.parts, unpacked)
  refuseMissingParts(unpacked)
  const counts = checkCopy(join(folder, databaseName))
  refuseOtherCounts(manifest, counts)
  if (installationIn(folder) !== manifest.installation) {
    throw new BundleRefused('its secret is not the one that its manifest tells of')
  }
  return manifest
}

function readText(path: string): string {
  if (existsSync(path)) return readFileSync(path, 'utf8')
  throw new BundleRefused('it has no manifest, so it is no bundle of this program')
}

function refuseOtherParts(told: readonly Part[], unpacked: ReadonlyMap<string, Part>): void {
  for (const { path, bytes, sha256 } of told) {
    const found = unpacked.get(path)
    if (found === undefined) throw new BundleRefused(`${path} is missing in it`)
    if (found.bytes !== bytes || found.sha256 !== sha256) {
      throw new BundleRefused(`${path} in it was changed`)
    }
  }
  if (told.length !== unpacked.size)
    throw new BundleRefused('it holds more than its manifest tells')
}

function refuseMissingParts(unpacked: ReadonlyMap<string, Part>): void {
  for (const path of [databaseName, secretName]) {
    if (!unpacked.has(path)) throw new BundleRefused(`${path} is missing in it`)
  }
}

/** What is said of a wrong secret in DATA_DIR, to delete it, say, is no advice about a bundle. */
function installationIn(folder: string): string {
  try {
    return installationOf(readSecret(folder))
  } catch (error) {
    if (!(error instanceof StoreRefused)) throw error
    throw new BundleRefused('its secret is not one of this program')
  }
}

function refuseOtherCounts(told: Counts, found: Counts): void {
  const isSame = told.leads === found.leads && told.events === found.events
  if (!isSame) throw new BundleRefused('its database is not the one that its manifest tells of')
}
