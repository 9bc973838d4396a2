/**
 * A backup is named by its time, installation and schema, such as
 * `lead-intake-2026-11-15T170000Z-3f9a0c12-s4.sqlite.zst`. Backups by hand are never deleted.
 */
import { createHmac } from 'node:crypto'
import { open, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { isOfFuture } from '../store/clock.ts'
import type { Settings } from '../config.ts'
import { beforeMigration, forgetPictures } from './picture-lists.ts'
import { dayMs, hourMs } from '../time.ts'
import type { KeepRules } from '../setting-values.ts'

export type BackupName = {
  at: number
  installation: string
  schema: number
  byHand: boolean
  encrypted: boolean
}

export function toBackupName({ at, installation, schema, byHand, encrypted }: BackupName): string {
  const hand = byHand ? '-by-hand' : ''
  return `lead-intake-${toStamp(at)}-${installation}-s${schema}${hand}.sqlite.zst${encrypted ? '.age' : ''}`
}

const pattern =
  /^lead-intake-(\d{4}-\d\d-\d\d)T(\d\d)(\d\d)(\d\d)Z-([0-9a-f]{8})-s(\d+)(-by-hand)?\.sqlite\.zst(\.age)?$/

export function readBackupName(name: string): BackupName | undefined {
  const [, day, hour, minute, second, installation, schema, hand, age] = pattern.exec(name) ?? []
  const at = Date.parse(`${day}T${hour}:${minute}:${second}Z`)
  if (installation === undefined || Number.isNaN(at)) return undefined
  const [byHand, encrypted] = [hand !== undefined, age !== undefined]
  return { at, installation, schema: Number(schema), byHand, encrypted }
}

/** Leaves out the colons, because not every file system accepts them in a name. */
export function toStamp(at: number): string {
  return new Date(at).toISOString().replaceAll(/:|\.\d+/g, '')
}

/** The same on all nodes of a service, because they share the secret. Does not reveal the secret. */
export function installationOf(secret: Buffer): string {
  return createHmac('sha256', secret).update('installation').digest('hex').slice(0, 8)
}

export function folderOfBackups({ BACKUP_TO, DATA_DIR }: Settings): string {
  return BACKUP_TO ?? join(DATA_DIR, 'backups')
}

export function folderBeforeMigration(settings: Settings): string {
  return join(folderOfBackups(settings), beforeMigration)
}

export type ListedBackup = BackupName & { path: string; bytes: number }

/** Newest first. A missing folder counts as empty. */
export async function listBackups(folder: string): Promise<ListedBackup[]> {
  const found = await Promise.all((await namesIn(folder)).map((name) => findBackup(folder, name)))
  return found.filter((each) => each !== undefined).sort((one, other) => other.at - one.at)
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder)
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return []
    throw error
  }
}

/**
 * A file under the name of a backup is one only if it begins like one. Others can neither be
 * restored nor push true backups out.
 */
async function findBackup(folder: string, name: string): Promise<ListedBackup | undefined> {
  const named = readBackupName(name)
  if (named === undefined) return undefined
  const path = join(folder, name)
  const begin = named.encrypted ? ageBegin : zstdBegin
  try {
    const file = await stat(path)
    // A named pipe would never answer.
    if (!file.isFile() || !begin.equals(await readBegin(path, begin.length))) return undefined
    return { ...named, path, bytes: file.size }
  } catch {
    // The file is gone since the folder was read, or this user may not read it.
    return undefined
  }
}

/** RFC 8878, 3.1.1. */
const zstdBegin = Buffer.from([0x28, 0xb5, 0x2f, 0xfd])
const ageBegin = Buffer.from('age-encryption.org/v1\n')

async function readBegin(path: string, length: number): Promise<Buffer> {
  const file = await open(path)
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, 0)
    return buffer.subarray(0, bytesRead)
  } finally {
    await file.close()
  }
}

/**
 * Deletes older backups by the rules, but never the one that was just made. Names of the future
 * (of a clock that was ahead, or of somebody who can write the folder) do not count: otherwise they
 * would be the newest ones, and push out the true backups.
 */
export async function forgetBackups(
  folder: string,
  rules: KeepRules,
  made: { path: string; installation: string },
  now: number,
): Promise<number> {
  const all = await listBackups(folder)
  const own = all.filter(({ installation }) => installation === made.installation)
  const byClock = own.filter((backup) => !backup.byHand && !isOfFuture(backup.at, now))
  const forgotten = toForget(byClock, rules).filter(({ path }) => path !== made.path)
  for (const { path } of forgotten) await rm(path, { force: true })
  forgetPictures(folder, now)
  return forgotten.length
}

/**
 * `{ d: 7 }` keeps the last backup of each of the newest 7 days that have one. Days without a
 * backup do not count, so that a pause deletes nothing.
 */
export function toForget<T extends { at: number }>(backups: readonly T[], rules: KeepRules): T[] {
  const newestFirst = backups.toSorted((one, other) => other.at - one.at)
  const kept = new Set(newestFirst.slice(0, 1))
  for (const unit of ['h', 'd', 'w', 'm'] as const) {
    const seen = new Set<number>()
    for (const backup of newestFirst) {
      const period = periodOf[unit](backup.at)
      if (seen.has(period)) continue
      if (seen.size >= rules[unit]) break
      seen.add(period)
      kept.add(backup)
    }
  }
  return newestFirst.filter((backup) => !kept.has(backup))
}

/** In UTC, so that all machines decide the same. */
const periodOf = {
  h: (at: number) => Math.floor(at / hourMs),
  d: (at: number) => Math.floor(at / dayMs),
  // Day 0 (1 January 1970) was a Thursday. With 3 added, weeks begin on Monday.
  w: (at: number) => Math.floor((at / dayMs + 3) / 7),
  m: (at: number) => new Date(at).getUTCFullYear() * 12 + new Date(at).getUTCMonth(),
}
