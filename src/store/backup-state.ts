/** Records when backups were made and drilled, and says whether one is late. */
import { dayMs, hourMs, minuteMs } from '../time.ts'
import type { Store } from './store.ts'

/** The last backup that the service began by the clock, with its `Outcome`. */
const tryId = 'backup'
const madeId = 'backup-made'
/** When a node last found its folder of backups empty or gone. The node renews the mark each minute. */
const lostId = 'backup-lost'
const lostForMs = 3 * minuteMs
/** The last start and the last success of a drill, which restores the newest backup as a test. */
const drillId = 'backup-drill'
const drilledId = 'backup-drilled'

const drillEveryMs = 7 * dayMs

type BackupOutcome = 'running' | 'done' | 'failed'
type MadeBackup = { at: number; bytes: number }

export type BackupState = {
  tried?: { at: number; outcome: BackupOutcome }
  made?: MadeBackup
  /** In place of `made`: the backup is no longer in its folder. */
  lost?: MadeBackup
  drilledAt?: number
}

type Marked = Pick<Store, 'marks'>

export async function readBackupState({ marks }: Marked, now: number): Promise<BackupState> {
  const ids = [tryId, madeId, drilledId, lostId]
  const [tried, made, drilled, lost] = await Promise.all(ids.map((id) => marks.find(id)))
  const isLost = lost !== undefined && now - lost.at < lostForMs
  return {
    ...(tried && { tried: { at: tried.at, outcome: tried.about as BackupOutcome } }),
    ...(made && { [isLost ? 'lost' : 'made']: { at: made.at, bytes: Number(made.about) } }),
    ...(drilled && { drilledAt: drilled.at }),
  }
}

/** Returns true for one node only, which must then make the backup. `isMoved`: a good one is due at once. */
export async function beginBackup(
  store: Marked,
  at: number,
  everyMs: number,
  isMoved = false,
): Promise<boolean> {
  const { tried } = await readBackupState(store, at)
  const isGood = tried?.outcome === 'done'
  const isDue = tried === undefined || at >= tried.at + waitAfter(tried.outcome, everyMs)
  if (!isDue && !(isMoved && isGood)) return false
  return store.marks.claim(tryId, at, { about: 'running', before: (tried?.at ?? 0) + 1 })
}

/** If the try failed, or its process was killed, the wait is an hour at most. */
function waitAfter(outcome: BackupOutcome, everyMs: number): number {
  return outcome === 'done' ? everyMs : Math.min(everyMs, hourMs)
}

export function endBackup({ marks }: Marked, outcome: 'done' | 'failed'): Promise<void> {
  return marks.replaceAbout(tryId, 'running', outcome)
}

export function noteBackup({ marks }: Marked, at: number, bytes: number): Promise<void> {
  return marks.put(madeId, at, String(bytes))
}

export function noteLost({ marks }: Marked, at: number): Promise<void> {
  return marks.put(lostId, at)
}

export function noteFound({ marks }: Marked): Promise<void> {
  return marks.forget(lostId, Number.MAX_SAFE_INTEGER)
}

export function beginDrill({ marks }: Marked, at: number): Promise<boolean> {
  return marks.claim(drillId, at, { before: at - drillEveryMs })
}

export function noteDrill({ marks }: Marked, at: number): Promise<void> {
  return marks.put(drilledId, at)
}

export function isDrilled({ drilledAt = 0 }: BackupState, at: number): boolean {
  return at - drilledAt < drillEveryMs + dayMs
}

export function isBackupOverdue({ made }: BackupState, everyMs: number, at: number): boolean {
  return made === undefined || at - made.at > 2 * everyMs
}

/** Being overdue is no fault while the first backup after a long pause of the service may still be running. */
export function isLate(state: BackupState, everyMs: number, at: number): boolean {
  const { tried, lost } = state
  if (lost !== undefined) return true
  if (tried === undefined || tried.outcome === 'done') return false
  const hasFailed = tried.outcome === 'failed' || at - tried.at > waitAfter(tried.outcome, everyMs)
  return hasFailed && isBackupOverdue(state, everyMs, at)
}
