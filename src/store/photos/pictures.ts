/**
 * The bytes of pictures, named by their SHA-256: files beside SQLite, a table on PostgreSQL. They never
 * change. What no photo names is removed, and after a day also what a crash left.
 */
import { hash } from 'node:crypto'
import { existsSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { open, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { minuteMs } from '../../time.ts'
import { toParameters, type Engine, type Statement } from '../engine/engine.ts'
import { makeFolder, syncFolder } from '../files.ts'

export interface Pictures {
  /** Returns statements to run before the row of the photo is committed. */
  put(pictures: readonly Buffer[], at: number): Promise<Statement[]>
  read(hash: string): Promise<Buffer | undefined>
  /** Removes those of `hashes` that no photo names. */
  drop(hashes: readonly string[]): Promise<void>
  /** Removes what no photo names and was put before this time. */
  dropOrphans(before: number): Promise<void>
}

export function hashOf(picture: Uint8Array): string {
  return hash('sha256', picture, 'hex')
}

/** Uploads are written here, too, and become pictures on the same disk. */
export function photosFolder(dataDir: string): string {
  return join(dataDir, 'photos')
}

const named = 'select hash from photo union select small_hash from photo'

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
      const writtenAt = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Infinity
      if (!kept.has(name) && writtenAt < before) rmSync(path, { force: true })
    }
  }

  async #named(): Promise<Set<string>> {
    return new Set((await this.#engine.read(named)).map((row) => String(row['hash'])))
  }
}

/** Written anew even if it is there already: the time of the file says when it was last put. */
export async function putFile(folder: string, picture: Uint8Array): Promise<void> {
  makeFolder(folder)
  const name = hashOf(picture)
  const unfinished = join(folder, `unfinished-${process.pid}-${name}`)
  const file = await open(unfinished, 'w', 0o600)
  try {
    await file.writeFile(picture)
    await file.sync()
  } finally {
    await file.close()
  }
  renameSync(unfinished, join(folder, name))
  syncFolder(folder)
}

export async function readPicture(folder: string, name: string): Promise<Buffer | undefined> {
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
      [hashOf(picture), at, picture.toString('base64')],
    ])
    return Promise.resolve([lockPictures, ...inserts])
  }

  async read(name: string): Promise<Buffer | undefined> {
    const sql = `select encode(bytes, 'base64') as bytes from picture where hash = $1`
    const [row] = await this.#engine.read(sql, [name])
    return row && Buffer.from(String(row['bytes']), 'base64')
  }

  async drop(hashes: readonly string[]): Promise<void> {
    const which = `hash in (${toParameters(hashes.length)})`
    await this.#dropUnnamed(which, hashes)
  }

  dropOrphans(before: number): Promise<void> {
    return this.#dropUnnamed('at < $1', [before])
  }

  async #dropUnnamed(which: string, values: readonly (string | number)[]): Promise<void> {
    const sql = `delete from picture where ${which} and hash not in (${named})`
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
