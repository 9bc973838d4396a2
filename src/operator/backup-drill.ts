/** `lead-intake backup drill`: restores the newest backup into a temporary folder and checks it there. */
import { drillBackup } from '../backup/drill.ts'
import { folderOfBackups } from '../backup/folder.ts'
import { listBundles } from '../backup/list.ts'
import { BundleRefused } from '../backup/refused.ts'
import { noteDrill } from '../store/backup-state.ts'
import { inSentence } from './backup.ts'
import { refuseMissingDatabase, settingsOrFail, withStore } from './open.ts'
import { CommandFailed, print, toJson } from './output.ts'
import { processShell } from './shell.ts'
import { toPlain } from './table.ts'

export async function drill(
  given: string | undefined,
  { key, json }: { key?: string; json?: true },
): Promise<void> {
  const settings = settingsOrFail()
  refuseMissingDatabase(settings)
  const folder = given ?? folderOfBackups(settings)
  const [newest] = await listBundles(folder)
  if (newest === undefined) throw new CommandFailed('missing', `There is no backup in ${folder}.`)
  const { path, bytes } = newest
  try {
    const manifest = await drillBackup({ settings, path, keyFile: key, now: Date.now })
    await withStore(processShell, (store) => noteDrill(store, Date.now()))
    const { leads } = manifest
    if (json) await print(toJson({ path, leads, bytes }))
    else await print(`${path}: ${inSentence(manifest)} Restored and checked.\n`)
  } catch (error) {
    if (!(error instanceof BundleRefused)) throw error
    throw new CommandFailed('unwell', `${path} cannot be used: ${toPlain(error.message)}.`)
  }
}
