/** Makes a backup: copies the database, adds secret and content, packs and checks the file. */
import { randomUUID } from 'node:crypto'
import { existsSync, readFileSync, renameSync, statfsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { version, type Settings } from '../config.ts'
import type { ReportEvent } from '../log.ts'
import { isPostgres } from '../setting-values.ts'
import { filesIn } from '../site/public-files.ts'
import {
  addFiles,
  archiveTable,
  copyDatabase,
  readPictureNames,
  type ArchivedFile,
} from '../store/backup-file.ts'
import { sizeInWords } from '../words.ts'
import { StoreRefused } from '../store/engine/engine.ts'
import { makeFolder, syncFolder, unfinishedPrefix } from '../store/files.ts'
import { newestMigration } from '../store/engine/migrations.ts'
import { findDamage, withLogs } from '../store/engine/sqlite-file.ts'
import { describeFile, findForeign, type Foreign } from '../store/engine/sqlite-schema.ts'
import { Journal } from '../store/postgres/journal.ts'
import { databaseOf, withPictures } from '../store/open.ts'
import { copyPictures } from '../store/photos/pictures.ts'
import { readSecret, secretPath } from '../store/secret.ts'
import { secondMs } from '../time.ts'
import {
  BackupRefused,
  contentPrefix,
  keptFreeBytes,
  manifestName,
  removeLeft,
  secretName,
  thenRemove,
  withWorkFolder,
  writeBackup,
  type Manifest,
} from './file.ts'
import { folderOfPictures, PictureList } from './picture-lists.ts'
import { BackupPictures } from './pictures.ts'
import { folderBeforeMigration, forgetBackups, installationOf, toBackupName } from './names.ts'

export type BackupParts = {
  settings: Settings
  to: string
  byHand?: boolean
  now: () => number
}

export type Made = Pick<Manifest, 'waiting'> & {
  path: string
  leads: number
  bytes: number
  schema: number
  installation: string
  /** A difference from the program's own schema, such as a trigger. A restore refuses such a backup. */
  foreign: Foreign | undefined
  /** Two for each photo. */
  pictures: number
  /** The database names them, but they are gone or damaged. */
  missingPictures: number
}

/** Works whether the service runs or is stopped. */
export function makeBackup({ settings, to, byHand = false, now }: BackupParts): Promise<Made> {
  const at = now()
  const key = settings.BACKUP_KEY
  // Throws if there is no secret. After a restore without it, no receipt would open.
  const installation = installationOf(readSecret(settings.DATA_DIR))
  return withWorkFolder(settings.DATA_DIR, async (work) => {
    makeFolder(to)
    removeLeft(to)
    refuseWithoutRoom(settings, to)
    // Reads the journal before the database is copied. In the other order, a lead that moves from
    // the journal to the database meanwhile would be in neither.
    const manifest = describe(settings, at)
    const copy = join(work, 'leads.sqlite')
    await copyDatabase(databaseOf(settings), copy)
    const damage = findDamage(copy)
    if (damage !== undefined) throw new BackupRefused(`the database is damaged (${damage})`)
    const { schema, leads } = describeFile(copy)
    addFiles(copy, filesOf(settings, manifest), at)
    const foreign = findForeign(copy, archiveTable)

    const encrypted = key !== undefined
    // Two backups of one second would have the same name, so the next second is tried.
    const pathAt = (time: number): string => {
      const path = join(to, toBackupName({ at: time, installation, schema, byHand, encrypted }))
      return existsSync(path) ? pathAt(time + secondMs) : path
    }
    const unfinished = join(to, `${unfinishedPrefix}${randomUUID()}`)
    return thenRemove(unfinished, async () => {
      await writeBackup(copy, unfinished, key)
      const photos = await copyPhotos(settings, { copy, to, at })
      // Chosen only now, because another backup may have taken the name while this one was written.
      const path = pathAt(at)
      // Before the backup: one without its list would have no photos.
      await photos.finish(path)
      renameSync(unfinished, path)
      syncFolder(to)
      const { size: bytes } = statSync(path)
      const { waiting } = manifest
      return { path, leads, bytes, schema, installation, foreign, waiting, ...photos.made }
    })
  })
}

/** Pictures that are missing at their source do not hinder the backup: a photo may just have been erased. */
async function copyPhotos(
  settings: Settings,
  { copy, to, at }: { copy: string; to: string; at: number },
) {
  const names = readPictureNames(copy)
  if (names.length === 0) {
    return { made: { pictures: 0, missingPictures: 0 }, finish: () => Promise.resolve() }
  }
  const folder = folderOfPictures(to)
  const list = new PictureList(folder, names, at)
  const pictures = new BackupPictures(folder, { key: settings.BACKUP_KEY })
  const copied = await withPictures(settings, (live) => copyPictures(names, live, pictures))
  const missingPictures = names.length - copied.length
  return {
    made: { pictures: copied.length, missingPictures },
    finish: (path: string) => list.finish(path, copied),
  }
}

function describe(settings: Settings, at: number): Manifest {
  const onServer = isPostgres(databaseOf(settings))
  const journal = onServer ? [...new Journal(settings.DATA_DIR).waiting.values()] : []
  return {
    format: 1,
    program: `lead-intake ${version}`,
    made: new Date(at).toISOString(),
    engine: onServer ? 'postgres' : 'sqlite',
    waiting: journal.map(({ lead }) => lead.reference),
  }
}

function* filesOf(settings: Settings, manifest: Manifest): Generator<ArchivedFile> {
  const { DATA_DIR, CONTENT_DIR } = settings
  yield { name: manifestName, bytes: Buffer.from(`${JSON.stringify(manifest, undefined, 2)}\n`) }
  yield { name: secretName, bytes: readFileSync(secretPath(DATA_DIR)) }
  for (const name of filesIn(CONTENT_DIR)) {
    yield { name: `${contentPrefix}${name}`, bytes: readFileSync(join(CONTENT_DIR, name)) }
  }
}

/** Counts the database twice in DATA_DIR: once for its copy, once for a backup on the same disk. */
export function refuseWithoutRoom(settings: Settings, to: string): void {
  const database = databaseOf(settings)
  // The size of a PostgreSQL database is unknown and counts as 0.
  const files = isPostgres(database) ? [] : withLogs(database)
  const sizes = files.map((path) => statSync(path, { throwIfNoEntry: false })?.size ?? 0)
  const bytes = sizes.reduce((sum, size) => sum + size, 0)
  refuseFullDisk(settings.DATA_DIR, keptFreeBytes + 2 * bytes)
  refuseFullDisk(to, bytes)
}

function refuseFullDisk(folder: string, needed: number): void {
  const { bavail, bsize } = statfsSync(folder)
  const free = bavail * bsize
  if (free >= needed) return
  throw new BackupRefused(
    `there is no room for it in ${folder}, where ${sizeInWords(needed)} are needed and ${sizeInWords(free)} are free`,
  )
}

/** Throws if the backup fails, so that the database is not migrated without one. */
export async function backUpBeforeMigration(
  settings: Settings,
  schema: number,
  report: ReportEvent,
): Promise<void> {
  const to = folderBeforeMigration(settings)
  try {
    const made = await makeBackup({ settings, to, now: Date.now })
    const { path, leads, bytes } = made
    report('backup.before-migration', { path, leads, bytes, schema, newest: newestMigration() })
    await forgetBackups(to, settings.BACKUP_KEEP, made, Date.now())
  } catch (error) {
    const { message } = error as Error
    throw new StoreRefused(
      `The database has schema ${schema} and must be migrated to ${newestMigration()}, but the backup before that could not be made in ${to} (${message}). Nothing was changed. Make room there, or set BACKUP_TO, and start again.`,
    )
  }
}
