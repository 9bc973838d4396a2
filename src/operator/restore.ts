/** `lead-intake restore`: puts a backup in the place of what is there. A database file must not be in use. */
import { dirname, join } from 'node:path'
import { toStamp } from '../backup/bundle-name.ts'
import { databaseName } from '../backup/manifest.ts'
import type { Manifest } from '../backup/manifest.ts'
import { readPresent } from '../backup/present.ts'
import type { Present } from '../backup/present.ts'
import { restoreBundle } from '../backup/restore.ts'
import type { Restored } from '../backup/restore.ts'
import type { Settings } from '../config.ts'
import { plural } from '../plural.ts'
import { isPostgres } from '../setting-values.ts'
import { takeLockOfStopped, type Lock } from '../store/engine/sqlite-lock.ts'
import { databaseOf } from '../store/open.ts'
import { newestLeadIn, readInFile } from '../store/restored.ts'
import { inSentence, withBundle } from './backup.ts'
import { settingsOrFail } from './open.ts'
import { CommandFailed, print, toJson } from './output.ts'
import { toPlain } from './table.ts'

export type RestoreOptions = { dryRun?: true; yes?: true; key?: string; json?: true }

export async function restore(file: string, options: RestoreOptions): Promise<void> {
  const settings = settingsOrFail()
  const lock = options.dryRun ? undefined : lockFile(settings)
  try {
    await restoreFrom(file, settings, options)
  } finally {
    lock?.release()
  }
}

function lockFile(settings: Settings): Lock | undefined {
  const database = databaseOf(settings)
  return isPostgres(database) ? undefined : takeLockOfStopped(database)
}

async function restoreFrom(
  file: string,
  settings: Settings,
  options: RestoreOptions,
): Promise<void> {
  const { dryRun = false, yes = false, key, json } = options
  await withBundle(file, folderOf(settings), key, async (manifest, folder) => {
    const stamp = toStamp(Date.now())
    const newest = await readInFile(join(folder, databaseName), newestLeadIn)
    const present = await readPresent(settings, { stamp, newest: newest ?? '' })
    if (!yes) refuseOtherInstallation(manifest, present)
    const parts = { settings, folder, present, stamp, now: Date.now, dryRun }
    const restored = await restoreBundle(parts)
    const { leads, made } = manifest
    if (json) return print(toJson({ path: file, made, leads, dryRun, ...restored }))
    await print(describe({ manifest, present, restored, dryRun, contentDir: settings.CONTENT_DIR }))
  })
}

/** On the disk of the database, where a rename is enough. */
function folderOf(settings: Settings): string {
  const database = databaseOf(settings)
  return isPostgres(database) ? settings.DATA_DIR : dirname(database)
}

function refuseOtherInstallation(manifest: Manifest, { installation }: Present): void {
  if (installation === undefined || installation === manifest.installation) return
  throw new CommandFailed(
    'usage',
    `This is a backup of another installation (${toPlain(manifest.installation)}; here is ${installation}). With it the receipts that were given here no longer open. Add --yes if that is meant.`,
  )
}

const sayContent: Record<Restored['content'], (would: string, contentDir: string) => string> = {
  restored: (would) => `The content ${would} restored.`,
  same: () => 'The content is the same as in the backup.',
  left: (would, contentDir) =>
    `The content ${would} left as it is; the backup has another one. To take that, move ${contentDir} away and restore again.`,
  none: () => 'The backup has no content.',
}

type Told = {
  manifest: Manifest
  present: Present
  restored: Restored
  dryRun: boolean
  contentDir: string
}

function describe({ manifest, present, restored, dryRun, contentDir }: Told): string {
  const { erasedAgain, shutOut, keptAs, secret, content } = restored
  const would = dryRun ? 'would be' : 'was'
  const again = dryRun ? 'would be' : 'now'
  const lines = [
    `The backup ${would} restored: ${inSentence(manifest)}`,
    keptAs && `What was there (${whatIsKept(restored)}) ${would} kept as ${keptAs}.`,
    erasedAgain > 0 &&
      `Erased since the backup, and ${again} erased again: ${plural(erasedAgain, 'lead')}.`,
    shutOut.members + shutOut.passkeys > 0 &&
      `Removed since the backup, and ${again} removed again: ${plural(shutOut.members, 'member')}, ${plural(shutOut.passkeys, 'passkey')}.`,
    present.letIn === undefined &&
      'Members and passkeys are those of the backup: look at them in the settings of the inbox.',
    secret === 'new' && `The secret ${would} restored.`,
    secret === 'replaced' && `The secret ${would} replaced: restart the service if it runs.`,
    sayContent[content](would, contentDir),
    dryRun
      ? 'Nothing was changed.'
      : 'Everybody signs in to the inbox anew. Start the service if none runs.',
  ]
  return lines
    .filter(Boolean)
    .map((line) => `${String(line)}\n`)
    .join('')
}

function whatIsKept({ keptLeads, keptLater = 0 }: Restored): string {
  if (keptLeads === undefined) return 'unreadable'
  const leads = plural(keptLeads, 'lead')
  return keptLater === 0 ? leads : `${leads}, ${keptLater} of them newer than the backup`
}
