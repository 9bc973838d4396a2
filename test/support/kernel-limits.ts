/** What the kernel allows this process. A test that needs more takes less, and reports how much it took. */
import { readFileSync } from 'node:fs'

/** Connections that a listener may hold before it accepts them (somaxconn). */
export function mostQueuedConnections(): number {
  return Number(readOr('/proc/sys/net/core/somaxconn', '128'))
}

/** Node raises its own limit to the hard one at start. */
export function mostOpenFiles(): number {
  const [, hard] = /^Max open files +\S+ +(\d+)/m.exec(readOr('/proc/self/limits', '')) ?? []
  return Number(hard ?? 1024)
}

/** `otherwise` on systems without /proc. */
function readOr(path: string, otherwise: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return otherwise
  }
}
