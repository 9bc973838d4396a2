/** The commands that make, list, verify, drill and restore backups. */
import { statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { BackupRefused, openBackup, withWorkFolder, type Manifest } from '../backup/file.ts'
import { isLost, lostWords, noteLast } from '../backup/folder.ts'
import {
  forgetBackups,
  folderBeforeMigration,
  folderOfBackups,
  installationOf,
  listBackups,
} from '../backup/names.ts'
import { checkPictures } from '../backup/pictures.ts'
import { restoreBackup, type Restored, drillBackup } from '../backup/restore.ts'
import { type Settings } from '../config.ts'
import { howToType, plural, sizeInWords } from '../words.ts'
import { makeBackup, type Made } from '../backup/make.ts'
import { isPostgres } from '../setting-values.ts'
import { beginDrill, noteBackup, noteDrill } from '../store/backup-state.ts'
import { isOfFuture } from '../store/clock.ts'
import { StorageUnavailable, StoreRefused } from '../store/engine/engine.ts'
import type { Foreign } from '../store/engine/sqlite-schema.ts'
import { newestMigration } from '../store/engine/migrations.ts'
import { readPictureNames } from '../store/backup-file.ts'
import { databaseOf } from '../store/open.ts'
import { readSecret } from '../store/secret.ts'
import { refuseMissingDatabase, withStore } from './open.ts'
import { toPlainText } from '../log.ts'
import { CommandFailed, toJson, type Shell } from './shell.ts'

type BackUpOptions = { to?: string; byClock?: true; json?: true }

export async function backUp(shell: Shell, { to, byClock, json }: BackUpOptions): Promise<void> {
  const settings = shell.settings()
  refuseMissingDatabase(settings)
  const folder = resolve(to ?? folderOfBackups(settings))
  // A person who names the folder means it, also where it is empty.
  if (to === undefined || byClock) await refuseLost(folder, settings)
  const made = await makeBackup({ settings, to: folder, byHand: !byClock, now: Date.now })
  const rules = settings.BACKUP_KEEP
  const forgotten = byClock ? await forgetBackups(folder, rules, made, Date.now()) : 0
  if (made.foreign !== undefined) {
    // Not recorded by `noteBackup`, so that the owner is warned once the last good backup is old.
    throw new CommandFailed(
      'unwell',
      `${made.path} was written, but cannot be restored: ${describeForeign(made.foreign)} and make another backup.`,
    )
  }
  await noteMade(shell, made)
  // An encrypted backup cannot be restored as a test, because only its public key is here.
  const drilled =
    byClock === true &&
    settings.BACKUP_KEY === undefined &&
    (await withStore(shell, (store) => beginDrill(store, Date.now())))
  if (drilled) await drillFile(shell, made.path)
  await shell.print(
    json ? toJson({ ...made, forgotten, drilled }) : describeMade(made, forgotten, drilled),
  )
}

async function refuseLost(folder: string, settings: Settings): Promise<void> {
  if (folder === settings.BACKUP_TO && (await isLost(settings))) {
    throw new BackupRefused(lostWords(folder))
  }
}

/** A backup that somebody takes elsewhere does not show that those in BACKUP_TO are well. */
async function noteMade(shell: Shell, { path, bytes }: Made): Promise<void> {
  const { BACKUP_TO, DATA_DIR } = shell.settings()
  if (BACKUP_TO !== undefined && dirname(path) !== BACKUP_TO) return
  if (BACKUP_TO !== undefined) noteLast(DATA_DIR, path)
  try {
    await withStore(shell, (store) => noteBackup(store, Date.now(), bytes))
  } catch (error) {
    // The command still succeeds, because the backup itself was made.
    if (!(error instanceof StorageUnavailable || error instanceof StoreRefused)) throw error
  }
}

/** The words never say to drop a table of the program, because it holds leads. */
function describeForeign({ what, isOurs }: Foreign): string {
  const name = toPlainText(what)
  if (isOurs) return `${name} is not as this program makes it. Undo that change`
  return `the database has what this program did not make, ${name}. Drop it with sqlite3`
}

async function drillFile(shell: Shell, file: string, keyFile?: string) {
  const settings = shell.settings()
  const found = await orRefused(file, () => drillBackup(settings, file, keyFile))
  await withStore(shell, (store) => noteDrill(store, Date.now()))
  return found
}

function describeMade(made: Made, forgotten: number, drilled: boolean): string {
  const { path, leads, bytes, waiting } = made
  return toLines([
    `${path}: ${plural(leads, 'lead')}, ${sizeInWords(bytes)}${drilled ? ', restored and checked' : ''}`,
    waiting.length > 0 &&
      `Not in it, because they wait in the journal of this node for PostgreSQL: ${plural(waiting.length, 'lead')} (${waiting.join(', ')}).`,
    made.pictures > 0 && `With the pictures of ${plural(made.pictures / 2, 'photo')}.`,
    made.missingPictures > 0 &&
      `Pictures that the database names, but that are gone or damaged: ${made.missingPictures}.`,
    forgotten > 0 && `${plural(forgotten, 'older backup')} deleted, by BACKUP_KEEP.`,
  ])
}

export async function printBackups(
  shell: Shell,
  given: string | undefined,
  { json }: { json?: true },
): Promise<void> {
  const folder = given ?? folderOfBackups(shell.settings())
  const backups = (await listBackups(folder)).map((each) => {
    return { ...each, at: new Date(each.at).toISOString(), size: sizeInWords(each.bytes) }
  })
  const none = `There is no backup in ${folder}. Name another folder: lead-intake backup list FOLDER`
  // A script that checks the exit code must not take an empty folder for backups.
  if (backups.length === 0 && !json) throw new CommandFailed('missing', none)
  const columns = ['at', 'size', 'installation', 'schema', 'path'] as const
  await shell.printRows(backups, { columns, json })
}

type CheckOptions = { key?: string }

export async function verify(shell: Shell, file: string, { key }: CheckOptions): Promise<void> {
  const { DATA_DIR } = shell.settings()
  const found = await orRefused(file, () =>
    withWorkFolder(DATA_DIR, async (work) => {
      const opened = await openBackup(file, work, key)
      await checkPictures(file, readPictureNames(opened.database), key)
      return opened
    }),
  )
  await shell.print(`${file}: ${backupInWords(found)} It is whole.\n`)
}

export async function drill(
  shell: Shell,
  given: string | undefined,
  { key }: CheckOptions,
): Promise<void> {
  const settings = shell.settings()
  refuseMissingDatabase(settings)
  const folder = given ?? folderOfBackups(settings)
  const here = installationOf(readSecret(settings.DATA_DIR))
  const own = (await listBackups(folder)).filter(({ installation }) => installation === here)
  const newest = own.find((backup) => !isOfFuture(backup.at, Date.now())) ?? own[0]
  if (newest === undefined) throw new CommandFailed('missing', `There is no backup in ${folder}.`)
  const found = await drillFile(shell, newest.path, key)
  await shell.print(`${newest.path}: ${backupInWords(found)} Restored and checked.\n`)
}

export async function restore(
  shell: Shell,
  file: string,
  { yes = false, key }: CheckOptions & { yes?: boolean },
): Promise<void> {
  const settings = shell.settings()
  const restored = await orRefused(file, () => restoreBackup({ settings, file, keyFile: key, yes }))
  await shell.print(describeRestored(restored, settings.CONTENT_DIR))
}

async function orRefused<T>(file: string, work: () => Promise<T>): Promise<T> {
  if (!statSync(file, { throwIfNoEntry: false })?.isFile())
    throw new CommandFailed('missing', `There is no file ${file}.`)
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof BackupRefused)) throw error
    throw new CommandFailed('unwell', `${file} cannot be used: ${toPlainText(error.message)}.`)
  }
}

/** `toPlain`, because the file may hold characters that would control the terminal. */
function backupInWords({ made, program, leads, engine }: Manifest & { leads: number }): string {
  const from = engine === 'postgres' ? ', from PostgreSQL' : ''
  return toPlainText(`made ${made} by ${program}${from}, ${plural(leads, 'lead')}.`)
}

function describeRestored(restored: Restored, contentDir: string): string {
  const { erasedAgain, members, keptAs, content, notices } = restored
  return toLines([
    `The backup was restored: ${backupInWords(restored)}`,
    keptAs &&
      `What was there (${keptWords(restored)}) was kept as ${keptAs}. Erasing does not reach it: delete it when nothing in it is needed.`,
    erasedAgain > 0 &&
      `Erased again, because the backup still had them: ${plural(erasedAgain, 'lead')}.`,
    notices.dropped > 0 &&
      `Unsent emails to customers that were dropped, because they may have gone out since the backup: ${notices.dropped}.`,
    notices.waiting > 0 &&
      `Notices to the owner that will be sent after the start, perhaps for the second time: ${notices.waiting}.`,
    restored.missingPictures > 0 &&
      `Pictures of photos that are not in the folder of the backup: ${restored.missingPictures}.`,
    memberWords(members),
    content === 'restored'
      ? 'The content was restored.'
      : `The content stays as it is. To take that of the backup, move ${contentDir} away and restore again.`,
    'Everybody signs in to the inbox anew. Start the service.',
  ])
}

function keptWords({ kept }: Pick<Restored, 'kept'>): string {
  if (kept === undefined) return 'unreadable'
  const leads = plural(kept.leads, 'lead')
  return kept.later === 0 ? leads : `${leads}, ${kept.later} of them newer than the backup`
}

function memberWords(members: Restored['members']): string {
  if (members === undefined) return 'Members and passkeys stay as they are.'
  if (members.length === 0) return 'The backup has no members.'
  const names = members.map(({ name, email }) => toPlainText(`${name} <${email}>`))
  return `Members are those of the backup: ${names.join(', ')}. Remove who has left since, in the inbox: Settings, Members.`
}

function toLines(lines: readonly (string | false | undefined)[]): string {
  return lines.flatMap((line) => (line ? [`${line}\n`] : [])).join('')
}

/** Adds to the error how the operator can go back to this version of the program. */
export async function explainWayBack(
  refused: StoreRefused,
  settings: Settings,
): Promise<StoreRefused> {
  const onServer = isPostgres(databaseOf(settings))
  const folder = onServer ? folderOfBackups(settings) : folderBeforeMigration(settings)
  const backups = await listBackups(folder).catch(() => [])
  const backup = backups.find(({ schema }) => schema <= newestMigration())
  const file = backup ? `${backup.path}${backup.encrypted ? ' --key FILE' : ''}` : 'FILE'
  const first = onServer ? 'name an empty database in DATABASE_URL and ' : ''
  const none = backup ? '' : ` FILE is a backup that this version reads; ${folder} has none.`
  return new StoreRefused(
    `${refused.message} To go back to this one, ${first}type these two commands:\n  ${howToType(`restore ${file}`)}\n  ${howToType('serve')}\nLeads that came since then stay in the database that the newer version has used.${none}`,
  )
}
