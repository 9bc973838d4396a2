/** Keeps server and client from sharing a core: the server on the first, the client on the second. */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

const allowed = readAllowed()
const [serverCpu, clientCpu] = hasTaskset() ? allowed : []
const canPin = serverCpu !== undefined && clientCpu !== undefined

/** The command that runs `command` on the server's core. */
export function onServerCpu(command: readonly string[]): readonly string[] {
  return canPin ? ['taskset', '-c', String(serverCpu), ...command] : command
}

/** While `work` runs, this process stays on the client's core. Whatever it starts meanwhile does too. */
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

/** For example `0-3,8`. */
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
