/** Waits for something to become true. */
import { setTimeout as sleep } from 'node:timers/promises'
import { patienceMs } from './patience.ts'

export async function until(
  isSo: () => boolean | Promise<boolean>,
  what: string,
  longestMs = patienceMs,
): Promise<void> {
  const endsAt = performance.now() + longestMs
  while (!(await isSo())) {
    if (performance.now() > endsAt) throw new Error(`waited in vain until ${what}`)
    await sleep(2)
  }
}
