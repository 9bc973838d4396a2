/** Every file below a folder, sorted. Several times as fast as a glob, which matters at a start. */
import { readdirSync } from 'node:fs'
import { join, relative } from 'node:path'

export function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => relative(folder, join(parentPath, name)))
    .sort()
}
