/** A clock that was ahead, and was set right, has put deliveries off for as long: they go out now. */
import { minuteMs } from '../../durations.ts'
import type { Store } from '../../store/store.ts'
import { latestTime } from '../../wrong-clock.ts'
import { longestWaitMs } from '../schedule.ts'

export type FarOffParts = {
  store: Pick<Store, 'retryFarOff'>
  /** Names of those that are set up. */
  channels: readonly string[]
  wake: () => void
  now: () => number
}

/** More than any try takes. */
const underWayMs = 10 * minuteMs

export function createFarOffCheck({ store, channels, wake, now }: FarOffParts) {
  return async (): Promise<void> => {
    const at = now()
    let retried = 0
    for (const channel of channels) {
      retried += await store.retryFarOff(channel, latestTime(at + longestWaitMs), at + underWayMs)
    }
    if (retried > 0) wake()
  }
}
