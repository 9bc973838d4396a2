/** Makes backups by the clock. Of several nodes one makes each; when the last one was is in the database. */
import { repeatByClock } from '../by-clock.ts'
import type { ByClock } from '../by-clock.ts'
import { minuteMs, secondMs } from '../durations.ts'
import { errorFacts, type Log } from '../log.ts'
import { beginBackup, beginDrill, endBackup } from '../store/backup-state.ts'
import { StorageUnavailable } from '../store/engine/engine.ts'
import type { Once } from '../store/once.ts'
import type { BackupRun } from './run-command.ts'

/** After a start, the first leads come first. */
const firstLookMs = 2 * secondMs

export type ByClockParts = {
  store: Once
  everyMs: number
  /** Begins one. */
  run: () => BackupRun
  /** Restores the newest, once a week. `undefined`: it is encrypted, and the key is not here. */
  drill?: (() => BackupRun) | undefined
  log: Pick<Log, 'info' | 'error'>
  now: () => number
  firstMs?: number
  lookMs?: number
}

export function backupByClock(parts: ByClockParts): ByClock {
  const { store, everyMs, log, now, firstMs = firstLookMs, lookMs = minuteMs } = parts
  let running: BackupRun | undefined
  let stopped = false
  const looking = repeatByClock(async () => {
    await look().catch((error: unknown) => report(error))
    return lookMs
  }, firstMs)
  return {
    async stop() {
      stopped = true
      running?.stop()
      await looking.stop()
    },
  }

  async function look(): Promise<void> {
    if (!(await beginBackup(store, now(), everyMs))) return
    const outcome = await settle(parts.run, 'backup.made', 'backup.failed')
    await endBackup(store, outcome)
    if (outcome !== 'done' || parts.drill === undefined) return
    if (!(await beginDrill(store, now()))) return
    await settle(parts.drill, 'backup.drilled', 'backup.drill-failed')
  }

  async function settle(
    run: () => BackupRun,
    doneEvent: string,
    failedEvent: string,
  ): Promise<'done' | 'failed' | 'stopped'> {
    if (stopped) return 'stopped'
    const startedAt = now()
    running = run()
    try {
      const { path, leads, bytes, forgotten } = await running.done
      log.info(doneEvent, { path, leads, bytes, forgotten, ms: now() - startedAt })
      return 'done'
    } catch (error) {
      if (isStopped()) return 'stopped'
      report(error, failedEvent)
      return 'failed'
    } finally {
      running = undefined
    }
  }

  function isStopped(): boolean {
    return stopped
  }

  /** The sentence of the command says what to do; it has nothing of a lead in it. */
  function report(error: unknown, event = 'backup.failed'): void {
    // It comes back; others report that it is away.
    if (error instanceof StorageUnavailable) return
    const { note } = error as { note?: string }
    log.error(event, { ...errorFacts(error), ...(note && { note }) })
  }
}
