/** What the kernel allows this process. A test that needs more takes less, and reports how much it took. */
import { readFileSync } from 'node:fs'

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
