/** The resident memory of a process, in MiB. Linux only. */
import { readFileSync } from 'node:fs'

export function residentMb(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return Math.round(Number(/^VmRSS:\s*(\d+) kB$/m.exec(status)?.[1]) / 1024)
}
