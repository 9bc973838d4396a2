import { setTimeout as sleep } from 'node:timers/promises'

const longestPauseMs = 40

export async function until(
  isSo: () => boolean | Promise<boolean>,
  what: string,
  longestMs = patienceMs,
): Promise<void> {
  const endsAt = performance.now() + longestMs
  let pauseMs = 2
  while (!(await isSo())) {
    if (performance.now() > endsAt) throw new Error(`waited in vain until ${what}`)
    await sleep(pauseMs)
    // Whoever waits long leaves the processor to what it waits for.
    pauseMs = Math.min(pauseMs * 1.2, longestPauseMs)
  }
}

/**
 * How long a test waits for something that must happen. Longer than the slowest machine needs, so
 * that only a hang uses it up.
 */
export const patienceMs = 180_000
