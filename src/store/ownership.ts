/** Whose the files of the service are: root may run `backup`, `restore` and `leads erase` among them. */
import { chownSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

/** Gives a file to the owner of its folder, or of `folder`: the service could not use one of root. */
export function giveToOwnerOf(path: string, folder = dirname(path)): void {
  if (process.getuid?.() !== 0) return
  const { uid, gid } = statSync(folder)
  chownSync(path, uid, gid)
}

/** Throws where this user may not look, in place of saying that nothing is there. */
export function isThere(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false }) !== undefined
}
