/** Folders on disk. By POSIX a new name is safe from a power cut once its folder is synced. */
import { closeSync, fsyncSync, mkdirSync, openSync } from 'node:fs'
import { dirname, resolve } from 'node:path'

/** Makes it, for its owner only, and those above it. Returns those that were not there. */
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

export function syncFolder(folder: string): void {
  const fd = openSync(folder, 'r')
  try {
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
}
