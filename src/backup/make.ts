/** Makes a bundle of the whole installation, beside the running service or without it. */
import { createHash } from 'node:crypto'
import { createReadStream, readFileSync, statfsSync, statSync } from 'node:fs'
import { readdir, readFile, rename, rm, stat } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import type { Settings } from '../config.ts'
import { dayMs } from '../durations.ts'
import { isPostgres } from '../setting-values.ts'
import { sizeInWords } from '../store/backup-state.ts'
import { makeFolder, syncFolder } from '../store/engine/folder.ts'
import { describeFile } from '../store/engine/sqlite-copy.ts'
import { logOf } from '../store/engine/sqlite-file.ts'
import { databaseOf, readSpoolOf } from '../store/open.ts'
import { giveToOwnerOf } from '../store/ownership.ts'
import { readSecret, secretPath } from '../store/secret.ts'
import { takeSnapshot } from '../store/snapshot.ts'
import { version } from '../version.ts'
import { keptFreeBytes } from './allowed.ts'
import { writeBundle } from './bundle.ts'
import { toBundleName } from './bundle-name.ts'
import { checkCopy } from './check.ts'
import type { Counts } from './check.ts'
import { contentFiles } from './content.ts'
import { contentName, databaseName, installationOf, manifestName, secretName } from './manifest.ts'
import type { Manifest, Part } from './manifest.ts'
import { BundleRefused } from './refused.ts'
import type { TarPart } from './tar-stream.ts'
import { untilRemoved, withWorkFolder } from './work-folder.ts'

/** `of`: left out where it is unknown. */
export type Progress = (step: 'copying' | 'checking' | 'writing', done: number, of?: number) => void

export type BackupParts = {
  settings: Pick<Settings, 'DATA_DIR' | 'DATABASE_URL' | 'CONTENT_DIR' | 'BACKUP_KEY'>
  /** The folder of the bundles. */
  to: string
  /** By a person: then nothing but a person deletes it. */
  byHand?: boolean
  /** Stays free for the leads that come meanwhile. */
  freeBytes?: number
  now: () => number
  progress?: Progress
}

export type Made = Counts & { path: string; bytes: number; schema: number; tookMs: number }

export function makeBackup(parts: BackupParts): Promise<Made> {
  const { settings, to, byHand = false, now, progress = () => {} } = parts
  const { freeBytes = keptFreeBytes } = parts
  // A backup without it would open no receipt.
  readSecret(settings.DATA_DIR)
  const at = now()
  const key = settings.BACKUP_KEY
  return withWorkFolder(settings.DATA_DIR, async (work) => {
    // Whoever makes it: the service puts its own backups there.
    for (const made of makeFolder(to)) giveToOwnerOf(made, settings.DATA_DIR)
    await removeUnfinished(to, at)
    refuseWithoutRoom(settings, to, freeBytes)
    const copy = join(work, databaseName)
    progress('copying', 0)
    await takeSnapshot(databaseOf(settings), copy, (rows) => progress('copying', rows))
    const { schema } = describeFile(copy)
    progress('checking', 0)
    const counts = checkCopy(copy)
    const name = toBundleName({ at, schema, byHand, encrypted: key !== undefined })
    const unfinished = join(to, `${unfinishedPrefix}${process.pid}-${name}`)
    return untilRemoved(unfinished, async () => {
      const inside = partsOf({ settings, copy, at, schema, counts, progress })
      await writeBundle(unfinished, inside, key)
      const { size: bytes } = await stat(unfinished)
      const path = join(to, name)
      giveToOwnerOf(unfinished, settings.DATA_DIR)
      await rename(unfinished, path)
      syncFolder(to)
      return { path, ...counts, bytes, schema, tookMs: now() - at }
    })
  })
}

/** Text shrinks to a quarter, so this is on the safe side. */
const bundleShare = 0.5

/** A full disk would refuse leads. What PostgreSQL holds is on the disk of the server. */
function refuseWithoutRoom(settings: BackupParts['settings'], to: string, freeBytes: number): void {
  const database = databaseOf(settings)
  if (isPostgres(database)) return
  const copyBytes = sizeOf(database) + sizeOf(logOf(database))
  const bundleBytes = copyBytes * bundleShare
  const isOneDisk = statSync(to).dev === statSync(settings.DATA_DIR).dev
  refuseFullDisk(settings.DATA_DIR, copyBytes + freeBytes + (isOneDisk ? bundleBytes : 0))
  if (!isOneDisk) refuseFullDisk(to, bundleBytes)
}

function refuseFullDisk(folder: string, neededBytes: number): void {
  const { bavail, bsize } = statfsSync(folder)
  if (bavail * bsize >= neededBytes) return
  const [needed, free] = [neededBytes, bavail * bsize].map(sizeInWords)
  throw new BundleRefused(
    `there is no room for it in ${folder}, where ${needed} are needed and ${free} are free`,
  )
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0
}

const unfinishedPrefix = '.unfinished-'

/** What a killed backup has left. The folder may be shared with other machines, so their own are spared. */
async function removeUnfinished(folder: string, at: number): Promise<void> {
  for (const name of await readdir(folder)) {
    if (!name.startsWith(unfinishedPrefix)) continue
    const path = join(folder, name)
    const found = await stat(path).catch(() => undefined)
    if (found === undefined || at - found.mtimeMs <= dayMs) continue
    // Another user's stays.
    await rm(path, { force: true }).catch(() => {})
  }
}

type Bundled = Pick<BackupParts, 'settings'> & {
  copy: string
  at: number
  schema: number
  counts: Counts
  progress: Progress
}

async function* partsOf(bundled: Bundled): AsyncGenerator<TarPart> {
  const { settings, copy, at, progress } = bundled
  const parts: Part[] = []
  const timeS = Math.floor(at / 1_000)
  const { size } = statSync(copy)
  yield toPart(databaseName, size, createReadStream(copy, { highWaterMark: 1024 * 1024 }))
  const secret = readSecret(settings.DATA_DIR)
  yield ofBytes(secretName, readFileSync(secretPath(settings.DATA_DIR)))
  for (const name of contentFiles(settings.CONTENT_DIR)) {
    yield ofBytes(`${contentName}/${name}`, await readFile(join(settings.CONTENT_DIR, name)))
  }
  const manifest = await describe(bundled, installationOf(secret), parts)
  yield ofBytes(manifestName, Buffer.from(`${JSON.stringify(manifest, undefined, 2)}\n`))

  function ofBytes(path: string, bytes: Buffer): TarPart {
    return toPart(path, bytes.length, [bytes])
  }

  function toPart(path: string, bytes: number, chunks: TarPart['bytes']): TarPart {
    const hash = createHash('sha256')
    const hashed = async function* () {
      let done = 0
      for await (const chunk of chunks) {
        hash.update(chunk)
        progress('writing', (done += chunk.length), bytes)
        yield chunk
      }
      parts.push({ path, bytes, sha256: hash.digest('hex') })
    }
    return { path, size: bytes, mode: 0o600, timeS, bytes: hashed() }
  }
}

async function describe(
  { settings, at, schema, counts }: Bundled,
  installation: string,
  parts: Part[],
): Promise<Manifest> {
  const onServer = isPostgres(databaseOf(settings))
  const spool = onServer ? await readSpoolOf(settings) : undefined
  return {
    format: 1,
    program: `lead-intake ${version}`,
    made: new Date(at).toISOString(),
    engine: onServer ? 'postgres' : 'sqlite',
    schema,
    installation,
    ...counts,
    ...(spool && { spool: { machine: hostname(), leads: spool.depth } }),
    parts,
  }
}
