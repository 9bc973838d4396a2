/** `lead-intake backup`: one bundle of the whole installation, beside the running service. */
import { existsSync } from 'node:fs'
import { setPriority } from 'node:os'
import { folderOfBackups } from '../backup/folder.ts'
import { forgetBundles, listBundles } from '../backup/list.ts'
import { makeBackup } from '../backup/make.ts'
import type { Made } from '../backup/make.ts'
import { openBundle } from '../backup/open-bundle.ts'
import type { Manifest } from '../backup/manifest.ts'
import { BundleRefused } from '../backup/refused.ts'
import { withWorkFolder } from '../backup/work-folder.ts'
import type { Settings } from '../config.ts'
import { plural } from '../plural.ts'
import { noteBackup, sizeInWords } from '../store/backup-state.ts'
import { StorageUnavailable, StoreRefused } from '../store/engine/engine.ts'
import { openLeads } from '../store/open.ts'
import type { Store } from '../store/store.ts'
import { refuseMissingDatabase, settingsOrFail } from './open.ts'
import { CommandFailed, print, toJson } from './output.ts'
import { showProgress } from './progress.ts'
import { toPlain, toTable } from './table.ts'

const niceness = 5

export type BackUpOptions = { to?: string; byClock?: true; json?: true }

export async function backUp({ to, byClock, json }: BackUpOptions): Promise<void> {
  const settings = settingsOrFail()
  refuseMissingDatabase(settings)
  letLeadsGoFirst()
  const progress = showProgress()
  try {
    const folder = to ?? folderOfBackups(settings)
    const made = await makeBackup({
      settings,
      to: folder,
      byHand: !byClock,
      now: Date.now,
      progress: progress.show,
    })
    progress.end()
    const forgotten = byClock ? await forgetBundles(folder, settings.BACKUP_KEEP) : 0
    await note(settings, made)
    await print(json ? toJson({ ...made, forgotten }) : describe(made, forgotten))
  } finally {
    progress.end()
  }
}

/** Refused under systemd, by the filter of system calls or after `Nice=`: the backup is made all the same. */
function letLeadsGoFirst(): void {
  try {
    setPriority(niceness)
  } catch {
    // Then with the priority that it has.
  }
}

/** For `doctor` and /readyz. */
async function note(settings: Settings, { bytes }: Made): Promise<void> {
  let store: Store | undefined
  try {
    store = await openLeads(settings)
    await noteBackup(store, Date.now(), bytes)
  } catch (error) {
    // The backup is made all the same, though the database is away or has an older schema.
    if (!(error instanceof StorageUnavailable || error instanceof StoreRefused)) throw error
  } finally {
    await store?.close()
  }
}

function describe({ path, leads, bytes }: Made, forgotten: number): string {
  const deleted = `${plural(forgotten, 'older backup')} deleted, by BACKUP_KEEP.\n`
  return `${path}: ${plural(leads, 'lead')}, ${sizeInWords(bytes)}\n${forgotten > 0 ? deleted : ''}`
}

export async function listBackups(
  given: string | undefined,
  { json }: { json?: true },
): Promise<void> {
  const folder = given ?? folderOfBackups(settingsOrFail())
  const bundles = await listBundles(folder)
  if (json) return print(toJson(bundles.map((each) => ({ ...each, at: inWords(each.at) }))))
  if (bundles.length === 0) {
    return print(
      `There is no backup in ${folder}. Name another folder: lead-intake backup list FOLDER\n`,
    )
  }
  const rows = bundles.map(({ at, bytes, schema, path }) => [
    inWords(at),
    sizeInWords(bytes),
    String(schema),
    path,
  ])
  await print(toTable(['made', 'size', 'schema', 'file'], rows))
}

export async function verifyBackup(
  file: string,
  { key, json }: { key?: string; json?: true },
): Promise<void> {
  const settings = settingsOrFail()
  const manifest = await withBundle(file, settings.DATA_DIR, key, (found) => Promise.resolve(found))
  await print(json ? toJson(manifest) : `${file}: ${inSentence(manifest)} It is whole.\n`)
}

/** Unpacked and checked, in a folder that is gone afterwards. */
export async function withBundle<T>(
  file: string,
  within: string,
  key: string | undefined,
  work: (manifest: Manifest, folder: string) => Promise<T>,
): Promise<T> {
  if (!existsSync(file)) throw new CommandFailed('missing', `There is no file ${file}.`)
  return withWorkFolder(within, async (folder) => {
    try {
      return await work(await openBundle(file, folder, key), folder)
    } catch (error) {
      if (!(error instanceof BundleRefused)) throw error
      throw new CommandFailed('unwell', `${file} cannot be used: ${toPlain(error.message)}.`)
    }
  })
}

/** Whoever wrote the file wrote the manifest. */
export function inSentence({ made, program, leads, engine }: Manifest): string {
  const from = engine === 'postgres' ? ', from PostgreSQL' : ''
  return toPlain(`made ${made} by ${program}${from}, ${plural(leads, 'lead')}.`)
}

function inWords(at: number): string {
  return new Date(at).toISOString()
}
