/**
 * The ids of erased leads, in a file beside the database. A restored backup may be from before they
 * were erased; `restore` reads the file and erases them again. It holds nothing else of them.
 */
import { existsSync } from 'node:fs'
import { mkdir, open, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import { repeatByClock } from '../by-clock.ts'
import type { ByClock } from '../by-clock.ts'
import { hourMs, secondMs } from '../durations.ts'
import type { ReportFailure } from '../log.ts'
import { StorageUnavailable } from './engine/engine.ts'
import { syncFolder } from './engine/folder.ts'
import { giveToOwnerOf } from './ownership.ts'
import type { Store } from './store.ts'

export type Erased = { leadId: string; at: number }

export function erasedPath(dataDir: string): string {
  return join(dataDir, 'erased')
}

/** A synced line for each. One append is never mixed with that of another process. */
export async function appendErased(dataDir: string, erased: readonly Erased[]): Promise<void> {
  if (erased.length === 0) return
  await mkdir(dataDir, { recursive: true, mode: 0o700 })
  const isNew = !existsSync(erasedPath(dataDir))
  const file = await open(erasedPath(dataDir), 'a', 0o600)
  try {
    giveToOwnerOf(erasedPath(dataDir))
    await file.write(erased.map(({ leadId, at }) => `${leadId} ${at}\n`).join(''))
    await file.sync()
    // POSIX: the name of a new file is safe once its folder is.
    if (isNew) syncFolder(dataDir)
  } finally {
    await file.close()
  }
}

const pageSize = 500
/** The last that an id can hold. */
const endOfTime = 2 ** 48 - 1

/**
 * Notes those that only the database knows of: a process was killed between an erasing and its line,
 * or another node has erased them.
 */
export async function noteMissing({ store, dataDir }: NotedParts): Promise<void> {
  const noted = new Set((await readErased(dataDir)).map(({ leadId }) => leadId))
  for (let past: string | undefined = ''; past !== undefined;) {
    const page = await store.agedLeads('erased', { past, before: endOfTime, limit: pageSize })
    const missing = page.filter(({ id }) => !noted.has(id))
    // A lead that was erased stays so.
    await appendErased(
      dataDir,
      missing.map(({ id, stateChangedAt }) => ({ leadId: id, at: stateChangedAt })),
    )
    past = page.at(-1)?.id
    // Reads of SQLite run on this thread: requests come in between.
    await turn()
  }
}

type NotedParts = { store: Pick<Store, 'agedLeads'>; dataDir: string }

/** After a start, the first leads come first. */
const firstMs = 3 * secondMs
const everyMs = 12 * hourMs

export function noteMissingByClock(parts: NotedParts & { reportFailure: ReportFailure }): ByClock {
  return repeatByClock(
    () =>
      noteMissing(parts).then(
        () => everyMs,
        (error: unknown) => {
          const isAway = error instanceof StorageUnavailable
          if (!isAway) parts.reportFailure('erased-file.failed', error)
          return hourMs
        },
      ),
    firstMs,
  )
}

/** A last line that a crash cut off is left out. */
export async function readErased(dataDir: string): Promise<Erased[]> {
  const text = await readFile(erasedPath(dataDir), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return ''
    throw error
  })
  return Array.from(text.matchAll(/^([0-9a-f-]{36}) (\d+)\n/gm), ([, leadId, at]) => ({
    leadId: leadId!,
    at: Number(at),
  }))
}
