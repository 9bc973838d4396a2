/** What the benchmark leaves behind: nothing. Processes and folders go on every way out. */
import type { ChildProcess } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const processes = new Set<ChildProcess>()
const folders = new Set<string>()

export function clearAwayAtExit(): void {
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
  // A server that was just killed may still have made a file.
  rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 20 })
  folders.delete(folder)
}
