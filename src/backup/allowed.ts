/** What may be unpacked: a small file from elsewhere must not fill the disk of the database. */
import { statfsSync } from 'node:fs'
import { sizeInWords } from '../store/backup-state.ts'
import type { TarFile } from '../tar.ts'
import { contentName, databaseName, manifestName, secretName } from './manifest.ts'
import { BundleRefused } from './refused.ts'

const mebibyte = 1024 * 1024
const mostBytes = new Map([
  [databaseName, Infinity],
  [secretName, 1024],
  [manifestName, 64 * mebibyte],
])
const mostFiles = 100_000
/** Stays free for the leads that come meanwhile. */
export const keptFreeBytes = 64 * mebibyte

/**
 * `folder`: it will be written there. `before`: how many files were. Compression has no bound, for what
 * people send may be alike: the room on the disk is the measure.
 */
export function refuseOtherFile(
  { path, size }: Pick<TarFile, 'path' | 'size'>,
  folder: string,
  before: number,
): void {
  if (path.split('/').some((part) => part === '' || part === '.' || part === '..')) {
    throw new BundleRefused('it holds a path that leads outside')
  }
  const most = path.startsWith(`${contentName}/`) ? Infinity : mostBytes.get(path)
  if (most === undefined) throw new BundleRefused('it holds what no backup holds')
  if (size > most) throw new BundleRefused(`${path} in it is too large`)
  if (before >= mostFiles) throw new BundleRefused(`it holds more than ${mostFiles} files`)
  const { bavail, bsize } = statfsSync(folder)
  if (size <= bavail * bsize - keptFreeBytes) return
  throw new BundleRefused(`there is no room to unpack it: ${path} has ${sizeInWords(size)}`)
}
