/** Files and folders that survive a power cut and that only this user may read, and the room on their disk. */
import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  renameSync,
  statSync,
} from 'node:fs'
import { open, statfs } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { repeatByClock, type ByClock, minuteMs, secondMs } from '../time.ts'
import { errorFacts, type ReportEvent } from '../log.ts'

/** node's option `recursive` would try for ever where nothing can be made, for example in /proc. */
export function makeFolder(folder: string): void {
  const path = resolve(folder)
  const isMade = () => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true
  if (isMade()) return
  makeFolder(dirname(path))
  try {
    mkdirSync(path, { mode: 0o700 })
  } catch (error) {
    // Another process may have made the folder meanwhile.
    if (!isMade()) throw error
  }
  syncFolder(dirname(path))
}

/** Makes new names in a folder survive a power cut. Windows cannot open folders. */
export function syncFolder(folder: string): void {
  if (process.platform === 'win32') return
  const fd = openSync(folder, 'r')
  try {
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
}

/** How the name of a file begins until the file is whole. */
export const unfinishedPrefix = '.unfinished-'

/** After a power cut the folder has the new file whole, or what it had before. */
export async function writeWhole(folder: string, name: string, bytes: Uint8Array): Promise<void> {
  makeFolder(folder)
  const unfinished = join(folder, `${unfinishedPrefix}${process.pid}-${name}`)
  const file = await open(unfinished, 'w', 0o600)
  try {
    await file.writeFile(bytes)
    await file.sync()
  } finally {
    await file.close()
  }
  renameSync(unfinished, join(folder, name))
  syncFolder(folder)
}

/** Text up to 512 KiB is one write, so that the lines of two processes do not mix. */
export async function appendSynced(path: string, text: string): Promise<void> {
  const isNew = !existsSync(path)
  const file = await open(path, 'a', 0o600)
  try {
    await file.appendFile(text)
    await file.sync()
  } finally {
    await file.close()
  }
  if (isNew) syncFolder(dirname(path))
}

export function keepPrivate(path: string, mode: 0o600 | 0o700): void {
  const stat = statSync(path, { throwIfNoEntry: false })
  if (stat === undefined || stat.uid !== process.getuid?.()) return
  // A folder with the sticky bit, such as /tmp, is shared on purpose, so its mode stays.
  if ((stat.mode & 0o1777) !== mode && (stat.mode & 0o1000) === 0) chmodSync(path, mode)
}

/** Throws if this user has no right to look. */
export function isThere(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false }) !== undefined
}

/** When a file was last written; `Infinity` if it is gone. */
export function writtenAt(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Infinity
}

export const lowDiskMib = 500

export type DiskState = { freeBytes: number; freeMib: number; isLow: boolean }

export async function readDisk(file: string): Promise<DiskState> {
  const { bavail, bsize } = await statfs(dirname(file))
  const freeBytes = bavail * bsize
  const freeMib = Math.floor(freeBytes / (1024 * 1024))
  return { freeBytes, freeMib, isLow: freeMib < lowDiskMib }
}

export function watchDisk(file: string, report: ReportEvent): ByClock {
  let wasLow = false
  const look = async () => {
    try {
      const { freeMib, isLow } = await readDisk(file)
      if (isLow && !wasLow) report('disk.low', { free_mib: freeMib })
      wasLow = isLow
    } catch (error) {
      report('disk.not-read', errorFacts(error))
    }
  }
  return repeatByClock(look, minuteMs, 10 * secondMs)
}
