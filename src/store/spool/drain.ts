/**
 * Moves leads from the spool into the database, oldest first, each exactly once: the database takes
 * an id once, and a lead leaves the spool only after the commit there.
 */
import { errorFacts, type Report } from '../../log.ts'
import { StorageUnavailable, toParameters } from '../engine/engine.ts'
import type { Engine } from '../engine/engine.ts'
import type { PostgresEngine } from '../engine/postgres.ts'
import { readEntries } from './entry.ts'
import type { SpoolEntry } from './entry.ts'
import { createMoveEntry, settleEntry } from './move-entry.ts'
import type { MovedEntry } from './move-entry.ts'
import type { Store } from '../store.ts'

export type Drain = {
  start(): void
  /** Call after a lead was put into the spool. */
  noteSpooled(): void
  /** Nothing waits; rejected leads do not count. */
  isEmpty(): boolean
  stop(): Promise<void>
}

export type DrainParts = {
  engine: PostgresEngine
  direct: Pick<Store, 'findLead'>
  spoolEngine: Engine
  now: () => number
  report: Report
  /** Called after each page that was moved. */
  onDrained: () => void
}

const pageSize = 200
/** After a failure that does not mean that the database is away. */
const pauseMs = 1_000

export function createDrain(parts: DrainParts): Drain {
  const { engine, direct, spoolEngine, now, report, onDrained } = parts
  const moveEntry = createMoveEntry({ engine, direct, report })
  // Unknown until the first look.
  let empty = false
  let spooled = 0
  let running: Promise<void> | undefined
  let pause: NodeJS.Timeout | undefined
  let stopped = false
  let triedRejected = false

  return {
    start,
    noteSpooled() {
      empty = false
      spooled += 1
      if (engine.away() === undefined) start()
    },
    isEmpty: () => empty,
    async stop() {
      stopped = true
      clearTimeout(pause)
      await running
    },
  }

  function start(): void {
    if (stopped || empty) return
    running ??= drainAll().finally(() => {
      running = undefined
      if (stopped || empty || engine.away() !== undefined) return
      clearTimeout(pause)
      pause = setTimeout(start, pauseMs).unref()
    })
  }

  async function drainAll(): Promise<void> {
    const startedAt = performance.now()
    let drained = 0
    try {
      await engine.lookAtSchema()
      if (engine.away() !== undefined) return
      await retryRejected()
      for (let page = await nextPage(); page.length > 0; page = await nextPage()) {
        if (stopped || engine.away() !== undefined) return
        drained += await drainPage(page)
      }
      if (drained > 0) spoolEngine.forgetDeleted()
    } catch (error) {
      if (!(error instanceof StorageUnavailable)) report('spool.drain-failed', errorFacts(error))
    } finally {
      const ms = Math.round(performance.now() - startedAt)
      if (drained > 0) report('spool.drained', { leads: drained, ms })
    }
  }

  /** Once after each start: the cause may have been fixed. */
  async function retryRejected(): Promise<void> {
    if (triedRejected) return
    const [rejected] = await spoolEngine.read('select 1 from rejected limit 1')
    if (rejected !== undefined) await spoolEngine.run([['delete from rejected', []]])
    triedRejected = true
  }

  async function nextPage(): Promise<SpoolEntry[]> {
    const before = spooled
    const page = await readEntries(spoolEngine, pageSize)
    // Unless a lead was spooled during the read.
    empty = page.length === 0 && spooled === before
    return page
  }

  /** All at once, so that the engine groups them. Rejects when the database is away again. */
  async function drainPage(page: readonly SpoolEntry[]): Promise<number> {
    const aliases = await aliasesAmong(page)
    const settled = await Promise.allSettled(
      page.map(async (entry): Promise<MovedEntry> =>
        aliases.has(entry.lead.id) ? { entry } : moveEntry(entry),
      ),
    )
    const drained = settled.filter((each) => each.status === 'fulfilled').map(({ value }) => value)
    await spoolEngine.run(drained.flatMap((each) => settleEntry(each, now())))
    if (drained.length > 0) onDrained()
    const failure = settled.find((each) => each.status === 'rejected')
    if (failure !== undefined) throw failure.reason
    return drained.filter(({ rejectedFor }) => rejectedFor === undefined).length
  }

  /** Those that an interrupted drain has stored as another id of a lead. */
  async function aliasesAmong(page: readonly SpoolEntry[]): Promise<Set<string>> {
    const rows = await engine.read(
      `select id from alias where id in (${toParameters(page.length)})`,
      page.map(({ lead }) => lead.id),
    )
    return new Set(rows.map((row) => String(row['id'])))
  }
}
