/** Files between database and bundle: leads in the clear, on this machine only. */
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { giveToOwnerOf } from '../store/ownership.ts'

const prefix = 'backup-work-'

/** Removes the folder at the end, and those that killed processes have left. */
export async function withWorkFolder<T>(
  within: string,
  work: (folder: string) => Promise<T>,
): Promise<T> {
  mkdirSync(within, { recursive: true, mode: 0o700 })
  removeLeftFolders(within)
  const folder = mkdtempSync(join(within, `${prefix}${process.pid}-`))
  // If root is killed here, the service can still remove it.
  giveToOwnerOf(folder)
  return untilRemoved(folder, () => work(folder))
}

/** Returns the paths of those that this user may not remove, because they are root's, say. */
export function removeLeftFolders(within: string): string[] {
  return readdirSync(within)
    .filter((name) => name.startsWith(prefix) && !isRunning(name))
    .map((name) => join(within, name))
    .filter((path) => !temporary.has(path) && !tryToRemove(path))
}

function tryToRemove(path: string): boolean {
  try {
    remove(path)
    return true
  } catch {
    return false
  }
}

const temporary = new Set<string>()
const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** Removes a file or folder after `work`, and when a signal ends the process before that. */
export async function untilRemoved<T>(path: string, work: () => Promise<T>): Promise<T> {
  if (temporary.size === 0) for (const signal of signals) process.on(signal, endBySignal)
  temporary.add(path)
  try {
    return await work()
  } finally {
    remove(path)
    temporary.delete(path)
    if (temporary.size === 0) ignoreSignals()
  }
}

function endBySignal(signal: NodeJS.Signals): void {
  // The service finishes what it has begun.
  if (process.listenerCount(signal) > 1) return
  for (const path of temporary) remove(path)
  ignoreSignals()
  process.kill(process.pid, signal)
}

function ignoreSignals(): void {
  for (const signal of signals) process.off(signal, endBySignal)
}

/** In a container the next process has the same number: a folder of it that is not ours is old. */
function isRunning(name: string): boolean {
  const pid = Number.parseInt(name.slice(prefix.length), 10)
  if (pid === process.pid) return false
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

function remove(path: string): void {
  rmSync(path, { recursive: true, force: true })
}
