/**
 * Every file below a folder, sorted; `folder` has no slash at its end. Several times as fast as a glob,
 * which matters at a start.
 */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'

export function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name).slice(folder.length + 1))
    .sort()
}
