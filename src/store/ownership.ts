/** Files that root makes in the service's folders, as `restore` and `leads erase` may. */
import { chownSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

/** Gives a file to the owner of its folder, or of `folder`: the service could not use one of root. */
export function giveToOwnerOf(path: string, folder = dirname(path)): void {
  if (process.getuid?.() !== 0) return
  const { uid, gid } = statSync(folder)
  chownSync(path, uid, gid)
}
