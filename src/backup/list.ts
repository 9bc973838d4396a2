/** The bundles in a folder. */
import { readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { KeepRules } from '../setting-values.ts'
import { readBundleName } from './bundle-name.ts'
import type { BundleName } from './bundle-name.ts'
import { toForget } from './keep-rules.ts'

export type ListedBundle = BundleName & { path: string; bytes: number }

/** Newest first. None: the folder is missing. */
export async function listBundles(folder: string): Promise<ListedBundle[]> {
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    throw error
  })
  const found = names.map(async (name): Promise<ListedBundle[]> => {
    const named = readBundleName(name)
    const path = join(folder, name)
    // It may have been deleted meanwhile.
    const file = named && (await stat(path).catch(() => undefined))
    return named && file ? [{ ...named, path, bytes: file.size }] : []
  })
  return (await Promise.all(found)).flat().sort((one, other) => other.at - one.at)
}

/** Deletes what the rules do not keep of those that the clock made. Returns how many. */
export async function forgetBundles(folder: string, rules: KeepRules): Promise<number> {
  const byClock = (await listBundles(folder)).filter(({ byHand }) => !byHand)
  const forgotten = toForget(byClock, rules)
  for (const { path } of forgotten) await rm(path, { force: true })
  return forgotten.length
}
