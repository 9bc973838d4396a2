import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** NewIds of the files in a folder in which such bytes stand. */
export function filesWith(folder: string, words: RegExp): string[] {
  return readdirSync(folder).filter((name) =>
    words.test(readFileSync(join(folder, name), 'latin1')),
  )
}
