/** Tells the owner that backups fail, at most once a day. */
import { hostname } from 'node:os'
import type { ChannelsFor } from '../../contract/notices.ts'
import { dayMs } from '../../durations.ts'
import { aboutBackup } from '../../store/about.ts'
import { isLate, readBackupState } from '../../store/backup-state.ts'
import type { Store } from '../../store/store.ts'
import { toEach } from '../channel-plan.ts'

export type LateBackupParts = {
  store: Pick<Store, 'findOnce' | 'firstSince'>
  channelsFor: ChannelsFor
  everyMs: number
  wake: () => void
  now: () => number
}

export function createLateBackupCheck(parts: LateBackupParts): () => Promise<void> {
  const { store, channelsFor, everyMs, wake, now } = parts
  return async () => {
    const at = now()
    const state = await readBackupState(store)
    if (!isLate(state, everyMs, at)) return
    const about = aboutBackup.write({ at, madeAt: state.made?.at ?? 0, machine: hostname() })
    const notice = { name: `backup-late-${at}`, kind: 'backup.late', about, dueAt: at } as const
    const adds = toEach(channelsFor('backup.late'), notice)
    if (await store.firstSince('backup-late', at, { before: at - dayMs, adds })) wake()
  }
}
