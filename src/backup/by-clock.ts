/**
 * Makes backups at regular times. Each runs in a separate process, because a fault in the copying must
 * not end the service.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { repeatByClock, type ByClock, hourMs, minuteMs, secondMs } from '../time.ts'
import { errorFacts, type Log } from '../log.ts'
import { beginBackup, endBackup, noteFound, noteLost } from '../store/backup-state.ts'
import { StorageUnavailable } from '../store/engine/engine.ts'
import type { Store } from '../store/store.ts'
import { removeLeft } from './file.ts'
import { isLost, isMoved, lostWords, type BackupPlace } from './folder.ts'
import type { Made } from './make.ts'

/** The output of `backup --by-clock --json`. */
export type MadeByClock = Made & { forgotten: number; drilled: boolean }

export type ByClockParts = {
  store: Pick<Store, 'marks'>
  place: BackupPlace
  everyMs: number
  run?: (signal: AbortSignal) => Promise<MadeByClock>
  log: Pick<Log, 'info' | 'error'>
  now: () => number
  lookMs?: number
  deadlineMs?: number
}

export function backupByClock(parts: ByClockParts): ByClock {
  const { store, place, everyMs, log, now } = parts
  const { run = (signal: AbortSignal) => runBackup(place.DATA_DIR, signal) } = parts
  const { lookMs = minuteMs, deadlineMs = 2 * hourMs } = parts
  const stopping = new AbortController()
  const firstMs = Math.min(lookMs, 2 * secondMs)
  const looking = repeatByClock(() => look().catch(report), lookMs, firstMs)
  // The two look apart, because a network disk that hangs gives no answer.
  const watching = repeatByClock(() => watch().catch(report), lookMs, firstMs)
  const aborted = once(stopping.signal, 'abort').then(() => undefined)
  let wasLost: boolean | undefined
  return {
    async stop() {
      stopping.abort()
      await Promise.all([looking.stop(), watching.stop()])
    },
  }

  async function look(): Promise<void> {
    if (await beginBackup(store, now(), everyMs, isMoved(place))) {
      await endBackup(store, await make())
    }
  }

  async function watch(): Promise<void> {
    const lost = await Promise.race([isLost(place), aborted])
    if (lost === undefined) return
    if (lost && !wasLost) log.error('backup.lost', { note: lostWords(place.BACKUP_TO!) })
    if (lost) await noteLost(store, now())
    else if (wasLost !== false) await noteFound(store)
    wasLost = lost
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
    // Other parts of the service report a database that cannot be used.
    if (error instanceof StorageUnavailable) return
    const said = error instanceof BackupFailed && { note: error.message }
    log.error('backup.failed', { ...errorFacts(error), ...said })
  }
}

const program = fileURLToPath(new URL('../../bin/lead-intake.js', import.meta.url))

/** A backup that copies the database, or hangs, does not heed SIGTERM. */
const graceMs = secondMs

async function runBackup(dataDir: string, signal: AbortSignal): Promise<MadeByClock> {
  signal.throwIfAborted()
  const child = spawn(process.execPath, [program, 'backup', '--by-clock', '--json'], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const end = () => {
    child.kill()
    setTimeout(() => child.kill('SIGKILL'), graceMs).unref()
  }
  signal.addEventListener('abort', end)
  const [out, faults] = [text(child.stdout), text(child.stderr)]
  const [code] = (await once(child, 'close')) as [code: number | null]
  signal.removeEventListener('abort', end)
  if (code === 0) return JSON.parse(await out) as MadeByClock
  removeLeft(dataDir)
  throw new BackupFailed(toSentence((await faults).trim()))
}

class BackupFailed extends Error {
  override name = 'BackupFailed'
}

/** Hides an error with a stack trace, because its message may repeat what a sender typed. */
function toSentence(said: string): string {
  if (said === '') return 'The backup was killed.'
  return /^ +at /m.test(said) ? 'The backup failed unexpectedly.' : said.split('\n').at(-1)!
}
