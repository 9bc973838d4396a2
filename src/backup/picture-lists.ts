/**
 * Each backup of a folder has a list of its pictures, so that a picture which no kept backup has can be removed.
 * An encrypted backup cannot be asked.
 */
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { makeFolder, unfinishedPrefix, writeWhole, writtenAt } from '../store/files.ts'
import { dayMs } from '../time.ts'

/** Backups before a migration are in a folder of this name, and share the pictures of the folder above. */
export const beforeMigration = 'before-migration'
const listEnd = '.list'

export function folderOfPictures(to: string): string {
  return join(basename(to) === beforeMigration ? dirname(to) : to, 'photos')
}

/** `undefined`: the backup was made without photos. */
export function picturesInBackup(backup: string): string[] | undefined {
  return readList(join(folderOfPictures(dirname(backup)), basename(backup) + listEnd))
}

/** The name of the backup is known only later, so the list is begun without it, and keeps what it names. */
export class PictureList {
  readonly #folder: string
  readonly #begun: string

  constructor(folder: string, names: readonly string[], at: number) {
    makeFolder(folder)
    this.#folder = folder
    this.#begun = join(folder, `begun-${process.pid}-${at}${listEnd}`)
    writeFileSync(this.#begun, toLines(names), { mode: 0o600, flush: true })
  }

  /** `names`: of the pictures that the backup has. */
  async finish(backup: string, names: readonly string[]): Promise<void> {
    await writeWhole(this.#folder, basename(backup) + listEnd, Buffer.from(toLines(names)))
    this.drop()
  }

  drop(): void {
    rmSync(this.#begun, { force: true })
  }
}

function toLines(names: readonly string[]): string {
  return names.map((name) => `${name}\n`).join('')
}

function readList(path: string): string[] | undefined {
  return existsSync(path) ? readFileSync(path, 'utf8').split('\n').filter(Boolean) : undefined
}

/** Removes the lists of backups that are gone, and the pictures that no list names any more. */
export function forgetPictures(to: string, now: number): void {
  const folder = folderOfPictures(to)
  if (!existsSync(folder)) return
  const files = readdirSync(folder)
  const kept = new Set<string>()
  for (const file of files.filter((each) => each.endsWith(listEnd))) {
    if (isListed(folder, file, now))
      for (const name of readList(join(folder, file))!) kept.add(name)
    else rmSync(join(folder, file), { force: true })
  }
  for (const file of files) {
    const isGone = isPicture(file) ? !kept.has(nameIn(file)) : isLeft(folder, file, now)
    if (isGone) rmSync(join(folder, file), { force: true })
  }
}

/** The list of a backup that is being made counts. */
function isListed(folder: string, list: string, now: number): boolean {
  const backup = list.slice(0, -listEnd.length)
  const above = dirname(folder)
  if ([above, join(above, beforeMigration)].some((each) => existsSync(join(each, backup))))
    return true
  return list.startsWith('begun-') && !isOld(join(folder, list), now)
}

function isLeft(folder: string, file: string, now: number): boolean {
  return file.startsWith(unfinishedPrefix) && isOld(join(folder, file), now)
}

function isOld(path: string, now: number): boolean {
  return now - writtenAt(path) > dayMs
}

export function isPicture(file: string): boolean {
  return /^[0-9a-f]{64}(?:\.[0-9a-f]{8}\.age)?$/.test(file)
}

export function nameIn(file: string): string {
  return file.slice(0, 64)
}
