/** Outside this folder, only `doctor` has SQL. */
import type { Telling } from '../contract/notices.ts'
import type { ReportFailure } from '../log.ts'
import { AccessStore } from './access/store.ts'
import { createDeliveries } from './deliveries/deliveries.ts'
import { beforeDeadline, StorageUnavailable, type Engine } from './engine/engine.ts'
import { ErasedFile } from './leads/erasing.ts'
import { type JournalState } from './postgres/journal.ts'
import { createKeeping } from './leads/keep.ts'
import { LeadChanges, type LeadChange } from './leads/changes.ts'
import { Marks } from './marks.ts'
import { LeadSearch } from './leads/search.ts'
import { notesOf } from './leads/notes.ts'
import type { Lead } from './leads/rows.ts'
import { createViews } from './leads/views.ts'

export type StoreState = {
  /** Why nothing can be committed to the database now. */
  away?: string | undefined
  journal?: JournalState
}

export type Store = ReturnType<typeof openStore>

/** Erased leads are listed in `dataDir`, so that a restore can erase them again. */
export function openStore(engine: Engine, dataDir?: string) {
  const listeners: (() => void)[] = []
  const tellDue = () => {
    for (const listener of listeners) listener()
  }
  const changes = new LeadChanges(engine, tellDue)
  const erasedFile = new ErasedFile(engine, dataDir)
  const views = createViews(engine)
  return {
    ...createDeliveries(engine),
    ...createKeeping(engine, tellDue),
    ...views,
    access: new AccessStore(engine),
    marks: new Marks(engine),
    search: new LeadSearch(engine),

    tellTo: (telling: Telling) => changes.tellTo(telling),

    /** What `src/lead/life.ts` needs to know of a lead's past. */
    async historyOf(lead: Lead) {
      const [[events = []], visitBefore] = await Promise.all([
        views.eventsOf([lead]),
        changes.visitBefore(lead),
      ])
      return { events, visitBefore }
    },

    /** Returns the changed lead; `undefined` if another writer changed it since it was read. */
    async applyChange(lead: Lead, change: LeadChange): Promise<Lead | undefined> {
      const applied = await changes.apply(lead, change)
      if (!change.erases) return applied
      engine.forgetDeleted()
      if (applied) await erasedFile.add([{ leadId: lead.id, at: change.event.at }])
      return applied
    },

    noteErased: () => erasedFile.addMissing(),
    notesOf: (leads: readonly Pick<Lead, 'id'>[]) => notesOf(engine, leads),

    /** Overwrites everything that is left of leads that were erased since then. */
    async forgetErased(since: number): Promise<void> {
      const sql = `select 1 as one from lead where state = 'erased' and erased_at > $1 limit 1`
      if ((await engine.read(sql, [since])).length > 0) engine.forgetDeleted(true)
    },

    async state(at: number): Promise<StoreState> {
      try {
        await probe(at)
        return {}
      } catch (error) {
        if (error instanceof StorageUnavailable) return { away: error.reason }
        throw error
      }
    },

    probe,

    /** Whether a lead that the database lacks may still be in the journal of another node. */
    mayWaitElsewhere: (_leadId: string, _at: number): boolean => false,

    /** `callback` is called after a lead was kept, moved or erased, because deliveries may then be due. */
    onDue(callback: () => void): void {
      listeners.push(callback)
    },

    close: () => engine.close(),
  }

  async function probe(at: number): Promise<void> {
    await engine.run([
      [
        `insert into probe (id, at, room) values (1, $1, $2)
         on conflict (id) do update set at = $1, room = $2`,
        // If this fits, the largest lead fits. It differs each time, so that it is really written.
        [at, String(at).repeat(5_000)],
      ],
      // Fails if a table that a new lead needs is missing.
      ['select 1 from lead, dedup, event, delivery, search_doc where false', []],
    ])
  }
}

const probeTimeoutMs = 2_000

export type Prove = () => Promise<boolean>

/** The returned function tests by a commit whether the store can write. Calls during a test share its result. */
export function createProve(parts: {
  store: Pick<Store, 'probe'>
  reportFailure: ReportFailure
  now: () => number
}): Prove {
  const { store, reportFailure, now } = parts
  let proving: Promise<boolean> | undefined
  return () => (proving ??= prove().finally(() => (proving = undefined)))

  async function prove(): Promise<boolean> {
    try {
      await beforeDeadline(probeTimeoutMs, store.probe(now()))
      return true
    } catch (error) {
      reportFailure('health.probe-failed', error)
      return false
    }
  }
}
