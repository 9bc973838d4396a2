/** The content of the site: compared with that of a backup, and put where there is none. */
import { chmodSync, constants, copyFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { filesIn } from '../site/files-in.ts'
import { giveToOwnerOf } from '../store/ownership.ts'

/**
 * `restored`: there is none yet. `left`: there is another one, which may be newer than the backup.
 * `none`: the backup has none.
 */
export type ContentRestored = 'restored' | 'same' | 'left' | 'none'

/** Without it there is no content. */
const mainFile = 'business.yaml'

/** None where the folder is missing. */
export function contentFiles(folder: string): string[] {
  return existsSync(folder) ? filesIn(folder) : []
}

/** `bundled`: the folder in the unpacked bundle. */
export function compareContent(contentDir: string, bundled: string): ContentRestored {
  const names = contentFiles(bundled)
  if (names.length === 0) return 'none'
  if (!existsSync(join(contentDir, mainFile))) return 'restored'
  const isSame =
    names.join('\0') === contentFiles(contentDir).join('\0') &&
    names.every((name) =>
      readFileSync(join(bundled, name)).equals(readFileSync(join(contentDir, name))),
    )
  return isSame ? 'same' : 'left'
}

/** Readable by everybody, as it is published anyway. Files that are there stay. */
export function placeContent(contentDir: string, bundled: string): void {
  const names = contentFiles(bundled)
  // The main file comes last: content that was cut off is placed by the next restore.
  for (const name of [...names.filter((each) => each !== mainFile), mainFile]) {
    const [from, to] = [join(bundled, name), join(contentDir, name)]
    if (!existsSync(from) || existsSync(to)) continue
    makeFolder(dirname(to))
    copyFileSync(from, to, constants.COPYFILE_EXCL)
    chmodSync(to, 0o644)
    giveToOwnerOf(to)
  }
}

function makeFolder(folder: string): void {
  if (existsSync(folder)) return
  makeFolder(dirname(folder))
  mkdirSync(folder)
  chmodSync(folder, 0o755)
  giveToOwnerOf(folder)
}
