/** A folder for what is between database and bundle: leads in the clear, on this machine only. */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'

const prefix = 'backup-work-'
const ours = new Set<string>()

/** Removes the folder at the end, and those that killed processes have left. */
export async function withWorkFolder<T>(
  within: string,
  work: (folder: string) => Promise<T>,
): Promise<T> {
  mkdirSync(within, { recursive: true, mode: 0o700 })
  for (const name of readdirSync(within)) {
    const path = join(within, name)
    if (name.startsWith(prefix) && !ours.has(path) && !isRunning(name)) remove(path)
  }
  const folder = mkdtempSync(join(within, `${prefix}${process.pid}-`))
  ours.add(folder)
  try {
    return await work(folder)
  } finally {
    remove(folder)
    ours.delete(folder)
  }
}

/** In a container the next process has the same number: a folder of it that is not ours is old. */
function isRunning(name: string): boolean {
  const pid = Number.parseInt(name.slice(prefix.length), 10)
  return pid !== process.pid && existsSync(`/proc/${pid}`)
}

function remove(path: string): void {
  rmSync(path, { recursive: true, force: true })
}
