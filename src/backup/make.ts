/** Makes a backup of the whole installation, beside the running service or without it. */
import { existsSync, readFileSync, renameSync, rmSync, statfsSync, statSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { version, type Settings } from '../config.ts'
import type { Report } from '../log.ts'
import { isPostgres } from '../setting-values.ts'
import { filesIn } from '../site/public-files.ts'
import { addFiles, copyDatabase, type ArchivedFile } from '../store/backup-file.ts'
import { sizeInWords } from '../store/backup-state.ts'
import { secondMs } from '../time.ts'
import { StoreRefused } from '../store/engine/engine.ts'
import { makeFolder, syncFolder } from '../store/files.ts'
import { newestMigration } from '../store/engine/migrations.ts'
import { describeFile, findDamage, logOf } from '../store/engine/sqlite-file.ts'
import { Journal } from '../store/journal.ts'
import { databaseOf } from '../store/open.ts'
import { readSecret, secretPath } from '../store/secret.ts'
import {
  BackupRefused,
  contentPrefix,
  manifestName,
  removeLeft,
  secretName,
  tryToRemove,
  unfinishedPrefix,
  withWorkFolder,
  writeBackup,
  type Manifest,
} from './file.ts'
import { folderBeforeMigration, installationOf, listBackups, toBackupName } from './names.ts'

export type BackupParts = {
  settings: Pick<Settings, 'DATA_DIR' | 'DATABASE_URL' | 'CONTENT_DIR' | 'BACKUP_KEY'>
  /** The folder of the backups. */
  to: string
  /** A person makes this backup, so the program never deletes it. */
  byHand?: boolean
  /** Bytes that stay free for leads that come meanwhile; default: 64 MiB. */
  freeBytes?: number
  now: () => number
}

export type Made = Pick<Manifest, 'journal'> & {
  path: string
  leads: number
  bytes: number
  schema: number
  installation: string
}

export function makeBackup(parts: BackupParts): Promise<Made> {
  const { settings, to, byHand = false, freeBytes, now } = parts
  const at = now()
  const key = settings.BACKUP_KEY
  // Without the secret a backup would open no receipt.
  const installation = installationOf(readSecret(settings.DATA_DIR))
  return withWorkFolder(settings.DATA_DIR, async (work) => {
    makeFolder(to)
    removeLeft(to)
    refuseWithoutRoom(settings, to, freeBytes)
    const manifest = describe(settings, at)
    const copy = join(work, 'leads.sqlite')
    await copyDatabase(databaseOf(settings), copy)
    const damage = findDamage(copy)
    if (damage !== undefined) throw new BackupRefused(`the database is damaged (${damage})`)
    const { schema, leads } = describeFile(copy)
    addFiles(copy, filesOf(settings, manifest), at)

    const encrypted = key !== undefined
    const nameAt = (time: number) =>
      toBackupName({ at: time, installation, schema, byHand, encrypted })
    const unfinished = join(to, `${unfinishedPrefix}${process.pid}-${nameAt(at)}`)
    try {
      await writeBackup(copy, unfinished, key)
      const { size: bytes } = statSync(unfinished)
      const path = join(to, firstFree(to, at, nameAt))
      renameSync(unfinished, path)
      syncFolder(to)
      const { journal } = manifest
      return { path, leads, bytes, schema, installation, ...(journal && { journal }) }
    } finally {
      rmSync(unfinished, { force: true })
    }
  })
}

/** Returns the first free name. Names tell the second, so backups of the same second take the next ones. */
function firstFree(folder: string, at: number, nameAt: (time: number) => string): string {
  const name = nameAt(at)
  return existsSync(join(folder, name)) ? firstFree(folder, at + secondMs, nameAt) : name
}

/** Describes the installation. Called before the copy is begun, so that a lead that leaves the journal meanwhile is named, too. */
function describe(settings: BackupParts['settings'], at: number): Manifest {
  const onServer = isPostgres(databaseOf(settings))
  const waiting = onServer ? [...new Journal(settings.DATA_DIR).waiting.values()] : []
  const references = waiting.map(({ lead }) => lead.reference)
  return {
    format: 1,
    program: `lead-intake ${version}`,
    made: new Date(at).toISOString(),
    engine: onServer ? 'postgres' : 'sqlite',
    ...(references.length > 0 && { journal: { machine: hostname(), references } }),
  }
}

function* filesOf(settings: BackupParts['settings'], manifest: Manifest): Generator<ArchivedFile> {
  const { DATA_DIR, CONTENT_DIR } = settings
  yield { name: manifestName, bytes: Buffer.from(`${JSON.stringify(manifest, undefined, 2)}\n`) }
  yield { name: secretName, bytes: readFileSync(secretPath(DATA_DIR)) }
  for (const name of contentFiles(CONTENT_DIR)) {
    yield { name: `${contentPrefix}${name}`, bytes: readFileSync(join(CONTENT_DIR, name)) }
  }
}

/** The files of a folder; none if the folder is missing. */
function contentFiles(folder: string): string[] {
  return existsSync(folder) ? filesIn(folder) : []
}

const keptFreeBytes = 64 * 1024 * 1024

/**
 * A full disk would refuse leads: there must be room for a copy and a backup, which is never larger. How
 * large a PostgreSQL is, only its server knows.
 */
export function refuseWithoutRoom(
  settings: BackupParts['settings'],
  to: string,
  freeBytes = keptFreeBytes,
): void {
  const { DATA_DIR, CONTENT_DIR } = settings
  const database = databaseOf(settings)
  const content = contentFiles(CONTENT_DIR).map((name) => join(CONTENT_DIR, name))
  const files = isPostgres(database) ? content : [database, logOf(database), ...content]
  const bytes = files.map(sizeOf).reduce((sum, size) => sum + size, 0)
  refuseFullDisk(DATA_DIR, 2 * bytes + freeBytes)
  refuseFullDisk(to, bytes)
}

function refuseFullDisk(folder: string, neededBytes: number): void {
  const { bavail, bsize } = statfsSync(folder)
  if (bavail * bsize >= neededBytes) return
  const [needed, free] = [neededBytes, bavail * bsize].map(sizeInWords)
  throw new BackupRefused(
    `there is no room for it in ${folder}, where ${needed} are needed and ${free} are free`,
  )
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0
}

const keptBeforeMigrations = 3

/** Makes the backup that leads back to the older program. If it fails, the database is not migrated. */
export async function backUpBeforeMigration(
  settings: Settings,
  schema: number,
  report: Report,
): Promise<void> {
  const to = folderBeforeMigration(settings)
  try {
    const made = await makeBackup({ settings, to, freeBytes: 0, now: Date.now })
    const { path, leads, bytes, installation } = made
    report('backup.before-migration', { path, leads, bytes, schema, newest: newestMigration() })
    const own = await listBackups(to, installation)
    for (const older of own.slice(keptBeforeMigrations)) tryToRemove(older.path)
  } catch (error) {
    const { message } = error as Error
    throw new StoreRefused(
      `The database has schema ${schema} and must be migrated to ${newestMigration()}, but the backup before that could not be made in ${to} (${message}). Nothing was changed. Make room there, or set BACKUP_TO, and start again.`,
    )
  }
}
