/** Makes backups by the clock. Of several nodes one makes each; when the last one was is in the database. */
import { minuteMs, secondMs } from '../durations.ts'
import { errorFacts } from '../log.ts'
import type { Log } from '../log.ts'
import { beginBackup, endBackup } from '../store/backup-state.ts'
import { StorageUnavailable } from '../store/engine/engine.ts'
import type { Once } from '../store/once.ts'
import type { BackupRun } from './run-command.ts'

export type BackupByClock = { stop(): Promise<void> }

/** After a start, the first leads come first. */
const firstLookMs = 2 * secondMs

export type ByClockParts = {
  store: Once
  everyMs: number
  /** Begins one. */
  run: () => BackupRun
  log: Pick<Log, 'info' | 'error'>
  now: () => number
  firstMs?: number
  lookMs?: number
}

export function backupByClock(parts: ByClockParts): BackupByClock {
  const { store, everyMs, log, now, firstMs = firstLookMs, lookMs = minuteMs } = parts
  let timer: NodeJS.Timeout | undefined
  let looking: Promise<void> | undefined
  let running: BackupRun | undefined
  let stopped = false
  plan(firstMs)
  return {
    async stop() {
      stopped = true
      clearTimeout(timer)
      running?.stop()
      await looking
    },
  }

  function plan(waitMs: number): void {
    if (stopped) return
    timer = setTimeout(() => {
      looking = look().catch(report)
      void looking.then(() => plan(lookMs))
    }, waitMs).unref()
  }

  async function look(): Promise<void> {
    if (!(await beginBackup(store, now(), everyMs))) return
    running = stopped ? undefined : parts.run()
    const outcome = running === undefined ? 'stopped' : await settle(running)
    running = undefined
    await endBackup(store, outcome)
  }

  async function settle({ done }: BackupRun): Promise<'done' | 'failed' | 'stopped'> {
    try {
      const { path, leads, bytes, tookMs } = await done
      log.info('backup.made', { path, leads, bytes, ms: tookMs })
      return 'done'
    } catch (error) {
      if (stopped) return 'stopped'
      report(error)
      return 'failed'
    }
  }

  /** The sentence of the command says what to do; it has nothing of a lead in it. */
  function report(error: unknown): void {
    // It comes back; others report that it is away.
    if (error instanceof StorageUnavailable) return
    const { note } = error as { note?: string }
    log.error('backup.failed', { ...errorFacts(error), ...(note && { note }) })
  }
}
