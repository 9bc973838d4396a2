/**
 * The pictures of photos in a folder of backups. They never change, so all backups share them, and each backup has
 * a list of its own: a new backup copies only what the folder lacks, and what no list names is removed.
 */
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { Readable } from 'node:stream'
import { writeWhole } from '../store/files.ts'
import { hashOfPicture, type PicturePlace } from '../store/photos/pictures.ts'
import { BackupRefused, decryptWith, encryptFor } from './file.ts'
import { folderOfPictures, isPicture, picturesInBackup, nameIn } from './picture-lists.ts'

type Keys = { key?: string | undefined; keyFile?: string | undefined }

/** A picture is the file HASH or, encrypted, HASH.KEY.age, where KEY stands for the public key. */
export class BackupPictures implements PicturePlace {
  readonly #folder: string
  readonly #keys: Keys
  readonly #files: Map<string, string>
  readonly #end: string

  constructor(folder: string, keys: Keys = {}) {
    this.#folder = folder
    this.#keys = keys
    const files = existsSync(folder) ? readdirSync(folder) : []
    this.#files = new Map(files.filter(isPicture).map((file) => [file, file]))
    this.#end = keys.key === undefined ? '' : `.${markOf(keys.key)}.age`
  }

  has(name: string): boolean {
    return this.#files.has(name + this.#end)
  }

  async read(name: string): Promise<Buffer | undefined> {
    const file = [...this.#files.keys()].find((each) => nameIn(each) === name)
    if (file === undefined) return undefined
    const bytes = readFileSync(join(this.#folder, file))
    if (!file.endsWith('.age')) return bytes
    if (this.#keys.keyFile === undefined) throw new BackupRefused('its photos are encrypted')
    return buffer(decryptWith(this.#keys.keyFile, Readable.from([bytes])))
  }

  async put(picture: Buffer): Promise<void> {
    const { key } = this.#keys
    const bytes =
      key === undefined ? picture : await buffer(encryptFor(key, Readable.from([picture])))
    const file = hashOfPicture(picture) + this.#end
    await writeWhole(this.#folder, file, bytes)
    this.#files.set(file, file)
  }
}

/** Checks that all pictures of a backup are there and whole. Returns how many. */
export async function checkPictures(
  file: string,
  named: readonly string[],
  keyFile?: string,
): Promise<number> {
  if (named.length === 0) return 0
  const folder = folderOfPictures(dirname(file))
  const names = picturesInBackup(file)
  if (names === undefined) throw new BackupRefused(`its photos are not in ${folder}`)
  const pictures = new BackupPictures(folder, { keyFile })
  for (const name of names) {
    const picture = await pictures.read(name)
    if (picture === undefined) throw new BackupRefused(`it lacks the photo ${name} in ${folder}`)
    if (hashOfPicture(picture) !== name) throw new BackupRefused(`its photo ${name} is damaged`)
  }
  return names.length
}

function markOf(key: string): string {
  return createHash('sha256').update(key).digest('hex').slice(0, 8)
}
