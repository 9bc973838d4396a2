/** Tells the owner that the disk runs low, at most once a day. */
import { hostname } from 'node:os'
import type { ChannelsFor } from '../../contract/notices.ts'
import { dayMs } from '../../durations.ts'
import { aboutDisk } from '../../store/about.ts'
import type { DiskState } from '../../store/disk.ts'
import type { Store } from '../../store/store.ts'
import { toEach } from '../channel-plan.ts'

export type LowDiskParts = {
  store: Pick<Store, 'firstSince'>
  channelsFor: ChannelsFor
  readDisk: () => Promise<DiskState>
  wake: () => void
  now: () => number
}

export function createLowDiskCheck(parts: LowDiskParts): () => Promise<void> {
  const { store, channelsFor, readDisk, wake, now } = parts
  return async () => {
    const { isLow, freeMib } = await readDisk()
    if (!isLow) return
    const at = now()
    const about = aboutDisk.write({ at, freeMib, machine: hostname() })
    const notice = { name: `disk-low-${at}`, kind: 'disk.low', about, dueAt: at } as const
    const adds = toEach(channelsFor('disk.low'), notice)
    if (await store.firstSince('disk-low', at, { before: at - dayMs, adds })) wake()
  }
}
