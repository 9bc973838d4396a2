/**
 * A backup is one file: a SQLite database, compressed by zstd and, if there is a key, encrypted by age
 * (https://age-encryption.org/v1). `age -d`, `zstd -d` and `sqlite3` open it without this program.
 */
import {
  closeSync,
  createReadStream,
  createWriteStream,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  readSync,
  readdirSync,
  rmSync,
  statSync,
  statfsSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { constants, createZstdCompress, createZstdDecompress, zstdDecompressSync } from 'node:zlib'
import { dayMs } from '../time.ts'
import { archiveTable, readBackupSchema, readFiles } from '../store/backup-file.ts'
import { newestMigration } from '../store/engine/migrations.ts'
import { unfinishedPrefix, writtenAt } from '../store/files.ts'
import { findDamage, storageFault } from '../store/engine/sqlite-file.ts'
import { describeFile, findForeign } from '../store/engine/sqlite-schema.ts'
import { decodeSecret } from '../store/secret.ts'
import { installationOf } from './names.ts'

/** The message is the reason, worded to follow a file name and a colon. */
export class BackupRefused extends Error {
  override name = 'BackupRefused'
}

export type Manifest = {
  format: number
  program: string
  /** When the backup was begun, as ISO 8601. */
  made: string
  engine: 'sqlite' | 'postgres'
  /** References of leads that waited on this node for PostgreSQL. The backup may lack them. */
  waiting: string[]
}

export const manifestName = 'manifest.json'
export const secretName = 'secret'
export const contentPrefix = 'content/'

export type Bytes = AsyncIterable<Uint8Array>

const chunkBytes = 1024 * 1024
const compression = {
  chunkSize: chunkBytes,
  params: { [constants.ZSTD_c_compressionLevel]: 1, [constants.ZSTD_c_checksumFlag]: 1 },
}

/** Syncs the new file, but not its folder. */
export async function writeBackup(database: string, to: string, key?: string): Promise<void> {
  await pipeline(
    createReadStream(database, { highWaterMark: chunkBytes }),
    createZstdCompress(compression),
    (chunks: Bytes) => (key === undefined ? chunks : encryptFor(key, chunks)),
    createWriteStream(to, { flags: 'wx', mode: 0o600, flush: true, highWaterMark: chunkBytes }),
  )
}

export async function* encryptFor(key: string, chunks: Bytes): AsyncGenerator<Uint8Array> {
  // Imported only when it is needed, because the package takes 8 MB of memory.
  const { Encrypter } = await import('age-encryption')
  const encrypter = new Encrypter()
  encrypter.addRecipient(key)
  yield* await encrypter.encrypt(toWeb(chunks))
}

export async function* decryptWith(keyFile: string, chunks: Bytes): AsyncGenerator<Uint8Array> {
  const { Decrypter } = await import('age-encryption')
  const decrypter = new Decrypter()
  for (const key of readFileSync(keyFile, 'utf8').match(/^AGE-SECRET-KEY-\S+/gm) ?? []) {
    decrypter.addIdentity(key)
  }
  try {
    yield* await decrypter.decrypt(toWeb(chunks))
  } catch (error) {
    const isOther = (error as Error).message.includes('no identity')
    throw new BackupRefused(
      isOther ? 'it was encrypted for another key' : 'its encryption is damaged',
    )
  }
}

function toWeb(chunks: Bytes): ReadableStream<Uint8Array> {
  return Readable.toWeb(Readable.from(chunks)) as ReadableStream<Uint8Array>
}

export type OpenedBackup = Manifest & {
  /** The path of the unpacked file. Its table `sqlar` still holds the secret and the content. */
  database: string
  leads: number
  installation: string
}

/** `folder` must be empty. Throws a `BackupRefused` or a `StoreRefused`. */
export async function openBackup(
  file: string,
  folder: string,
  keyFile?: string,
): Promise<OpenedBackup> {
  const database = join(folder, 'leads.sqlite')
  await unpack(file, database, keyFile)
  refuseForeign(database)
  const damage = findDamage(database)
  if (damage !== undefined) throw new BackupRefused(damaged(damage))
  const files = readFiles(database)
  const manifest = readManifest(files.get(manifestName))
  const { leads } = describeFile(database)
  const secret = decodeSecret(files.get(secretName) ?? Buffer.alloc(0))
  if (!manifest || !secret) throw new BackupRefused(notABackup)
  if (manifest.format > 1) throw new BackupRefused(newer)
  if ([...files.keys()].some(leadsOutside))
    throw new BackupRefused('it contains a path that leads outside its folder')
  return { ...manifest, database, leads, installation: installationOf(secret) }
}

const notABackup = 'it is not a backup of this program'
const newer = 'it was made by a newer version of this program; use that version'
const damaged = (why: string) => `its database is damaged (${why})`

/**
 * Looks at the schema before any row is read. A view, or an index over an expression, that is not
 * ours could keep a reader busy for ever.
 */
function refuseForeign(database: string): void {
  try {
    const schema = readBackupSchema(database)
    if (schema === 0) throw new BackupRefused(notABackup)
    if (schema > newestMigration()) throw new BackupRefused(newer)
    const foreign = findForeign(database, archiveTable)
    if (foreign === undefined) return
    throw new BackupRefused(`it contains something that this program did not make: ${foreign.what}`)
  } catch (error) {
    const fault = storageFault(error)
    if (fault === 'refused') throw new BackupRefused(notABackup)
    if (fault === 'damaged') throw new BackupRefused(damaged((error as Error).message))
    throw error
  }
}

function leadsOutside(path: string): boolean {
  return path.split('/').some((part) => ['', '.', '..'].includes(part))
}

async function unpack(file: string, into: string, keyFile: string | undefined): Promise<void> {
  const isEncrypted = file.endsWith('.age')
  if (isEncrypted && keyFile === undefined) {
    throw new BackupRefused('it is encrypted; give the file of the key (--key)')
  }
  const zstd = createZstdDecompress({ chunkSize: chunkBytes })
  try {
    await pipeline(
      createReadStream(file, { highWaterMark: chunkBytes }),
      (chunks: Bytes) => (isEncrypted ? decryptWith(keyFile!, chunks) : chunks),
      zstd,
      (chunks: Bytes) =>
        withinBounds(chunks, { mostBytes: mostUnpacked(file), folder: dirname(into) }),
      createWriteStream(into, { flags: 'wx', mode: 0o600 }),
    )
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    if (!/^(?:ZSTD_|Z_|ERR_ZSTD|ERR_BUFFER)/.test(code)) throw error
    throw new BackupRefused(`${notABackup}, or damaged (${code})`)
  }
  // Node ignores bytes that were appended to a zstd file. age refuses them in its own file.
  if (!isEncrypted && !isEmptyFrame(readAfter(file, zstd.bytesWritten))) {
    throw new BackupRefused('there is data after its end')
  }
}

/** So much of the disk stays free for leads that come in while a backup is made or unpacked. */
export const keptFreeBytes = 64 * 1024 * 1024

const mostTimesLarger = 50

/**
 * A file of 200 kB can be made to unpack to gigabytes. The leads of a flood of spam compress well,
 * too, so up to 1 GiB is always unpacked.
 */
function mostUnpacked(file: string): number {
  return Math.max(mostTimesLarger * statSync(file).size, 1024 * 1024 * 1024)
}

export async function* withinBounds(
  chunks: Bytes,
  { mostBytes, folder }: { mostBytes: number; folder: string },
): AsyncGenerator<Uint8Array> {
  let bytes = 0
  for await (const chunk of chunks) {
    bytes += chunk.length
    if (bytes > mostBytes) {
      throw new BackupRefused(
        `it unpacks to more than ${mostTimesLarger} times its size; if it is yours, unpack it with "zstd -d"`,
      )
    }
    const { bavail, bsize } = statfsSync(folder)
    if (bavail * bsize < keptFreeBytes) {
      throw new BackupRefused(
        `there is no room to unpack it: less than ${keptFreeBytes / 1024 ** 2} MiB is free in ${folder}`,
      )
    }
    yield chunk
  }
}

function readAfter(file: string, at: number): Buffer {
  const rest = Buffer.alloc(Math.min(statSync(file).size - at, 64))
  const fd = openSync(file, 'r')
  try {
    readSync(fd, rest, 0, rest.length, at)
    return rest
  } finally {
    closeSync(fd)
  }
}

/** An empty frame of zstd (RFC 8878, 3.1.1) with its checksum. */
const emptyFrameBytes = 13

/**
 * Node writes an empty frame behind a file that fills its last output buffer exactly, and does not
 * read it.
 */
function isEmptyFrame(rest: Buffer): boolean {
  if (rest.length === 0) return true
  if (rest.length > emptyFrameBytes) return false
  try {
    return zstdDecompressSync(rest).length === 0
  } catch {
    return false
  }
}

function readManifest(bytes: Buffer | undefined): Manifest | undefined {
  try {
    const manifest = JSON.parse(String(bytes)) as Manifest
    return Date.parse(manifest.made) > 0 ? manifest : undefined
  } catch {
    return undefined
  }
}

const workPrefix = 'backup-work-'

/** Only this user can read the folder, because `work` may write unencrypted leads into it. */
export async function withWorkFolder<T>(
  within: string,
  work: (folder: string) => Promise<T>,
): Promise<T> {
  mkdirSync(within, { recursive: true, mode: 0o700 })
  removeLeft(within)
  const folder = mkdtempSync(join(within, `${workPrefix}${process.pid}-`))
  return thenRemove(folder, () => work(folder))
}

/** What this process removes when it is done. */
const inUse = new Set<string>()
const endings = ['SIGINT', 'SIGTERM'] as const

/** Removes `path` after `work`, also if a signal ends the command meanwhile. */
export async function thenRemove<T>(path: string, work: () => Promise<T>): Promise<T> {
  inUse.add(path)
  for (const signal of endings) {
    // The service listens for itself, and ends when its work is done.
    if (process.listenerCount(signal) === 0) process.on(signal, removeAndEnd)
  }
  try {
    return await work()
  } finally {
    rmSync(path, { recursive: true, force: true })
    inUse.delete(path)
    if (inUse.size === 0) for (const signal of endings) process.off(signal, removeAndEnd)
  }
}

function removeAndEnd(signal: NodeJS.Signals): void {
  for (const path of inUse) rmSync(path, { recursive: true, force: true })
  // Without a listener the signal ends the process.
  process.off(signal, removeAndEnd)
  process.kill(process.pid, signal)
}

/** Removes what killed processes left: a work folder holds the whole database. */
export function removeLeft(folder: string): void {
  for (const name of readdirSync(folder)) {
    if (!name.startsWith(workPrefix) && !name.startsWith(unfinishedPrefix)) continue
    const path = join(folder, name)
    try {
      if (isLeft(path, name)) rmSync(path, { recursive: true, force: true })
    } catch {
      // Another user left it, for example root, whose command was killed. It hinders no backup.
    }
  }
}

/** A file without a process in its name, perhaps of another machine, is left when it is a day old. */
function isLeft(path: string, name: string): boolean {
  const [, pid] = workOf.exec(name) ?? []
  if (pid !== undefined && !isRunning(Number(pid), path)) return true
  return Date.now() - writtenAt(path) > dayMs
}

const workOf = new RegExp(`^${workPrefix}(\\d+)-`)

function isRunning(pid: number, path: string): boolean {
  // In a container each start has the same number.
  if (pid === process.pid) return inUse.has(path)
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH'
  }
}
