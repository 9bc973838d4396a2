/** Pins the servers to the first core and the client to the second. Without taskset, pins nothing. */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import type { Program } from './programs.ts'

const allowed = readAllowed()
const [serverCpu, clientCpu] = hasTaskset() ? allowed : []
const canPin = serverCpu !== undefined && clientCpu !== undefined

export function onServerCpu({ command, cwd }: Program): Program {
  return { command: canPin ? ['taskset', '-c', String(serverCpu), ...command] : command, cwd }
}

/** Processes that `work` starts inherit the client's core. */
export async function onClientCpu<T>(work: () => Promise<T>): Promise<T> {
  pinSelf([clientCpu!])
  try {
    return await work()
  } finally {
    pinSelf(allowed)
  }
}

function pinSelf(cpus: readonly number[]): void {
  if (!canPin) return
  execFileSync('taskset', ['-acp', cpus.join(','), String(process.pid)], { stdio: 'ignore' })
}

/** Reads a list such as `0-3,8`. */
function readAllowed(): number[] {
  try {
    const status = readFileSync('/proc/self/status', 'utf8')
    const list = /^Cpus_allowed_list:\s*(\S+)$/m.exec(status)?.[1] ?? ''
    return list.split(',').flatMap((part) => {
      const [first = Number.NaN, last = first] = part.split('-').map(Number)
      return Array.from({ length: last - first + 1 }, (_, index) => first + index)
    })
  } catch {
    return []
  }
}

function hasTaskset(): boolean {
  try {
    execFileSync('taskset', ['-V'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}
