/**
 * Makes backups by the clock. Each is a command of its own: copying a database takes long, and a fault in
 * it must not end the service. The database knows when the last one was made, so one node of several
 * makes each.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { repeatByClock, type ByClock, hourMs, minuteMs, secondMs } from '../time.ts'
import { errorFacts, type Log } from '../log.ts'
import { beginBackup, endBackup } from '../store/backup-state.ts'
import { StorageUnavailable } from '../store/engine/engine.ts'
import type { Once } from '../store/once.ts'
import type { Made } from './make.ts'

/** The output of the command with `--json`. `drilled`: once a week it restores the backup, too. */
export type MadeByClock = Made & { forgotten: number; drilled: boolean }

export type ByClockParts = {
  store: Once
  everyMs: number
  /** Runs the command; rejects if the signal aborts it, at the end of the service or of `deadlineMs`. */
  run?: (signal: AbortSignal) => Promise<MadeByClock>
  log: Pick<Log, 'info' | 'error'>
  now: () => number
  /** Time from the start to the first look. */
  firstMs?: number
  lookMs?: number
  deadlineMs?: number
}

export function backupByClock(parts: ByClockParts): ByClock {
  const { store, everyMs, run = runBackup, log, now } = parts
  const { firstMs = 2 * secondMs, lookMs = minuteMs, deadlineMs = 2 * hourMs } = parts
  const stopping = new AbortController()
  const looking = repeatByClock(async () => {
    await look().catch(report)
    return lookMs
  }, firstMs)
  return {
    async stop() {
      stopping.abort()
      await looking.stop()
    },
  }

  async function look(): Promise<void> {
    if (await beginBackup(store, now(), everyMs)) await endBackup(store, await make())
  }

  async function make(): Promise<'done' | 'failed'> {
    const startedAt = now()
    try {
      const signal = AbortSignal.any([stopping.signal, AbortSignal.timeout(deadlineMs)])
      const { path, leads, bytes, forgotten, drilled } = await run(signal)
      log.info('backup.made', { path, leads, bytes, forgotten, drilled, ms: now() - startedAt })
      return 'done'
    } catch (error) {
      if (!stopping.signal.aborted) report(error)
      return 'failed'
    }
  }

  function report(error: unknown): void {
    // Others report that the database is away; it comes back.
    if (error instanceof StorageUnavailable) return
    const said = error instanceof BackupFailed && { note: error.message }
    log.error('backup.failed', { ...errorFacts(error), ...said })
  }
}

const program = fileURLToPath(new URL('../../bin/lead-intake.js', import.meta.url))

export async function runBackup(signal: AbortSignal): Promise<MadeByClock> {
  const child = spawn(process.execPath, [program, 'backup', '--by-clock', '--json'], {
    stdio: ['ignore', 'pipe', 'pipe'],
    signal,
    // A process that hangs may not listen.
    killSignal: 'SIGKILL',
  })
  const [out, faults] = [text(child.stdout), text(child.stderr)]
  const [code] = (await once(child, 'close')) as [code: number | null]
  if (code !== 0) throw new BackupFailed(toSentence((await faults).trim()))
  return JSON.parse(await out) as MadeByClock
}

/** The command failed. The message is what it printed, without anything of a lead. */
class BackupFailed extends Error {
  override name = 'BackupFailed'
}

/** The last line that the command printed. The message of an unexpected error may repeat what was sent. */
function toSentence(said: string): string {
  if (said === '') return 'The backup was killed.'
  return /^ +at /m.test(said) ? 'The backup failed unexpectedly.' : said.split('\n').at(-1)!
}
