/** Removes the benchmark's processes and folders at exit, also after an error or a signal. */
import type { ChildProcess } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const processes = new Set<ChildProcess>()
const folders = new Set<string>()

export function cleanUpAtExit(): void {
  process.once('exit', () => {
    for (const child of processes) child.kill('SIGKILL')
    for (const folder of folders) removeFolder(folder)
  })
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(signal, () => process.exit(130))
  }
}

export function killAtExit(child: ChildProcess): void {
  processes.add(child)
  child.once('exit', () => processes.delete(child))
}

export function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'lead-intake-bench-'))
  folders.add(folder)
  return folder
}

export function removeFolder(folder: string): void {
  // A server that was just killed may still be creating a file.
  rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 20 })
  folders.delete(folder)
}
