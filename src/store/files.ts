/** Files and folders of the service: whose they are, who may read them, and when their names are safe. */
import { chmodSync, chownSync, closeSync, fsyncSync, mkdirSync, openSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'

/** Makes a folder, for its owner only, and those above it. Returns those that were not there. */
export function makeFolder(folder: string): string[] {
  const first = mkdirSync(folder, { recursive: true, mode: 0o700 })
  if (first === undefined) return []
  const made: string[] = []
  for (let each = resolve(folder); each.length >= resolve(first).length; each = dirname(each)) {
    made.push(each)
    syncFolder(dirname(each))
  }
  return made
}

/** By POSIX a new name is safe from a power cut once its folder is synced. */
export function syncFolder(folder: string): void {
  const fd = openSync(folder, 'r')
  try {
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
}

/**
 * Gives a file to the owner of its folder, or of `folder`. Root may run `backup`, `restore` and
 * `leads erase`, and the service could not use a file of root.
 */
export function giveToOwnerOf(path: string, folder = dirname(path)): void {
  if (process.getuid?.() !== 0) return
  const { uid, gid } = statSync(folder)
  chownSync(path, uid, gid)
}

/** Takes the rights of others away, as from a restored backup. What another user owns stays as it is. */
export function keepPrivate(path: string, mode: 0o600 | 0o700): void {
  const stat = statSync(path, { throwIfNoEntry: false })
  if (stat === undefined || stat.uid !== process.getuid?.()) return
  // A folder with the sticky bit, such as /tmp, is shared on purpose.
  if ((stat.mode & 0o1777) !== mode && (stat.mode & 0o1000) === 0) chmodSync(path, mode)
}

/** Throws where this user may not look, in place of saying that nothing is there. */
export function isThere(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false }) !== undefined
}
