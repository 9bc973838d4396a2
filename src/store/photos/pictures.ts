/**
 * The bytes of pictures, named by their SHA-256: files beside SQLite, a table on PostgreSQL. They never
 * change. What no photo names is removed, and after a day also what a crash left.
 */
import { hash, randomUUID } from 'node:crypto'
import { existsSync, readdirSync, rmSync } from 'node:fs'
import { open, readFile, unlink, type FileHandle } from 'node:fs/promises'
import { join } from 'node:path'
import { minuteMs } from '../../time.ts'
import { toParameters, type Engine, type Statement } from '../engine/engine.ts'
import { makeFolder, writeWhole, writtenAt } from '../files.ts'

export interface Pictures {
  /** Returns statements to run before the row of the photo is committed. */
  put(pictures: readonly Buffer[], at: number): Promise<Statement[]>
  read(hash: string): Promise<Buffer | undefined>
  /** Removes those of `hashes` that no photo names. */
  drop(hashes: readonly string[]): Promise<void>
  /** Removes what no photo names and was put before this time. */
  dropOrphans(before: number): Promise<void>
}

export function hashOfPicture(picture: Uint8Array): string {
  return hash('sha256', picture, 'hex')
}

export function photosFolder(dataDir: string): string {
  return join(dataDir, 'photos')
}

/** A file for what is sent. It has no name any more, so nothing is left of it once it is closed. */
export async function openUpload(dataDir: string): Promise<FileHandle> {
  const folder = photosFolder(dataDir)
  makeFolder(folder)
  const path = join(folder, `unfinished-${randomUUID()}`)
  const file = await open(path, 'wx+', 0o600)
  await unlink(path)
  return file
}

/** Names every picture that a photo has. */
export const namedHashes = 'select hash from photo union select small_hash as hash from photo'

/** Where pictures can be copied from and to: a folder, a table, a folder of backups. */
export type PicturePlace = {
  has(name: string): boolean | Promise<boolean>
  read(name: string): Promise<Buffer | undefined>
  put(picture: Buffer): Promise<void>
}

/** Returns the names of those that are there afterwards. Others are missing or damaged at their source. */
export async function copyPictures(
  names: readonly string[],
  from: PicturePlace,
  to: PicturePlace,
): Promise<string[]> {
  const copied: string[] = []
  for (const name of names) {
    if (!(await to.has(name))) {
      const picture = await from.read(name)
      if (picture === undefined || hashOfPicture(picture) !== name) continue
      await to.put(picture)
    }
    copied.push(name)
  }
  return copied
}

export function picturesIn(folder: string): PicturePlace {
  return {
    has: (name) => existsSync(join(folder, name)),
    read: (name) => readPicture(folder, name),
    put: (picture) => putFile(folder, picture),
  }
}

/** One process serves a folder, so its methods need only wait for each other: `Photos` calls them in turn. */
export class PicturesInFolder implements Pictures {
  readonly #engine: Engine
  readonly #folder: string

  constructor(engine: Engine, folder: string) {
    this.#engine = engine
    this.#folder = folder
  }

  async put(pictures: readonly Buffer[]): Promise<Statement[]> {
    for (const picture of pictures) await putFile(this.#folder, picture)
    return []
  }

  async read(name: string): Promise<Buffer | undefined> {
    return readPicture(this.#folder, name)
  }

  async drop(hashes: readonly string[]): Promise<void> {
    const kept = await this.#named()
    for (const each of hashes) {
      if (!kept.has(each)) rmSync(join(this.#folder, each), { force: true })
    }
  }

  /** Also removes uploads that were cut off. */
  async dropOrphans(before: number): Promise<void> {
    if (!existsSync(this.#folder)) return
    const kept = await this.#named()
    for (const name of readdirSync(this.#folder)) {
      const path = join(this.#folder, name)
      if (!kept.has(name) && writtenAt(path) < before) rmSync(path, { force: true })
    }
  }

  async #named(): Promise<Set<string>> {
    return new Set((await this.#engine.read(namedHashes)).map((row) => String(row['hash'])))
  }
}

export function placeOfPictures(engine: Engine, dataDir: string): PicturePlace {
  if (engine.dialect === 'postgres') return new PicturesInTable(engine).place
  return picturesIn(photosFolder(dataDir))
}

/** Written anew even if it is there already: the time of the file says when it was last put. */
function putFile(folder: string, picture: Uint8Array): Promise<void> {
  return writeWhole(folder, hashOfPicture(picture), picture)
}

async function readPicture(folder: string, name: string): Promise<Buffer | undefined> {
  try {
    return await readFile(join(folder, name))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

/** Any number that no other program uses for an advisory lock in this database. */
const pictureLock = 7_203_418

/**
 * A node that keeps a photo and one that drops a picture wait for each other: the picture must not go
 * between the two statements of the other.
 */
export const lockPictures: Statement = [`select pg_advisory_xact_lock(${pictureLock})`, []]

/** A picture is megabytes on its way to another machine. */
export const pictureDeadlineMs = minuteMs / 2

export class PicturesInTable implements Pictures {
  readonly #engine: Engine

  constructor(engine: Engine) {
    this.#engine = engine
  }

  put(pictures: readonly Buffer[], at: number): Promise<Statement[]> {
    const inserts = pictures.map((picture): Statement => [
      `insert into picture (hash, at, bytes) values ($1, $2, decode($3, 'base64'))
       on conflict do nothing`,
      [hashOfPicture(picture), at, picture.toString('base64')],
    ])
    return Promise.resolve([lockPictures, ...inserts])
  }

  async read(name: string): Promise<Buffer | undefined> {
    const sql = `select encode(bytes, 'base64') as bytes from picture where hash = $1`
    const [row] = await this.#engine.read(sql, [name])
    return row && Buffer.from(String(row['bytes']), 'base64')
  }

  /** The table as a place to copy to and from. */
  get place(): PicturePlace {
    const find = (name: string) =>
      this.#engine.read('select 1 as one from picture where hash = $1', [name])
    return {
      has: async (name) => (await find(name)).length > 0,
      read: (name) => this.read(name),
      put: async (picture) => {
        await this.#engine.run(await this.put([picture], Date.now()), pictureDeadlineMs)
      },
    }
  }

  async drop(hashes: readonly string[]): Promise<void> {
    const which = `hash in (${toParameters(hashes.length)})`
    await this.#dropUnnamed(which, hashes)
  }

  dropOrphans(before: number): Promise<void> {
    return this.#dropUnnamed('at < $1', [before])
  }

  async #dropUnnamed(which: string, values: readonly (string | number)[]): Promise<void> {
    const sql = `delete from picture where ${which} and hash not in (${namedHashes})`
    await this.#engine.run([lockPictures, [sql, values]], pictureDeadlineMs)
  }
}

/** For a store that keeps no photos, such as that of a work folder. */
export const noPictures: Pictures = {
  put: () => Promise.resolve([]),
  read: () => Promise.resolve(undefined),
  drop: () => Promise.resolve(),
  dropOrphans: () => Promise.resolve(),
}
