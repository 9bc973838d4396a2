/** Waits for something to become true, but not for ever. */
import { setTimeout as sleep } from 'node:timers/promises'

export async function until(
  isSo: () => boolean | Promise<boolean>,
  what: string,
  patienceMs = 20_000,
): Promise<void> {
  const endsAt = performance.now() + patienceMs
  while (!(await isSo())) {
    if (performance.now() > endsAt) throw new Error(`waited in vain until ${what}`)
    await sleep(2)
  }
}
