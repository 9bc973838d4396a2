/**
 * A store on a shared database that may be away. While it is, leads are kept in a spool: a SQLite
 * file of this node with the same schema. The spool is drained when the database is back.
 */
import { errorFacts, type Report } from '../../log.ts'
import { StorageUnavailable, StoreRefused } from '../engine/engine.ts'
import type { Engine } from '../engine/engine.ts'
import { createDrain } from './drain.ts'
import type { KeyHolder, OtherStore } from '../keep-by-key.ts'
import type { PostgresEngine } from '../engine/postgres.ts'
import { readSpool } from './status.ts'
import { createRepeats } from '../repeats.ts'
import { createRecent } from '../../recent.ts'
import { readLeads } from '../rows.ts'
import type { DedupKey } from '../rows.ts'
import { openStore } from '../store.ts'
import type { Store } from '../store.ts'

export type SpooledStoreParts = {
  engine: PostgresEngine
  /** Of the spool file. */
  spoolEngine: Engine
  now: () => number
  report: Report
}

/** With more keyed leads than this before an outage, a duplicate may slip through during it. */
const maxKnownKeys = 10_000

export function openSpooledStore(parts: SpooledStoreParts): Store {
  const { engine, spoolEngine, now, report } = parts
  // Keys of leads in the database, for while it is away.
  const knownKeys = createRecent<string, KeyHolder>(maxKnownKeys)
  const repeats = createRepeats()
  const inSpool: OtherStore = {
    findHolder: (key) => (drain.isEmpty() ? undefined : findHolder(spoolEngine, key)),
    has: async (id) => (await spool.findLead(id)) !== undefined,
    remember: (key, holder) => knownKeys.set(key.name, holder),
  }
  // What became of a lead in the database is unknown while that is away; only keys are certain.
  const inDatabase: OtherStore = {
    findHolder: (key) => knownKeys.get(key.name),
    has: () => Promise.resolve(false),
    remember: () => {},
  }
  const direct = openStore(engine, inSpool, repeats)
  // The keys of all leads are stored, so that the drain can compare them with those in the database.
  const spool = openStore(spoolEngine, inDatabase, repeats)
  const listeners: (() => void)[] = []
  const onDrained = () => listeners.forEach((listener) => listener())
  const drain = createDrain({ engine, direct, spoolEngine, now, report, onDrained })
  engine.onReturn(drain.start)
  drain.start()

  return {
    ...direct,
    async keepLead(lead) {
      if (engine.away() !== undefined) return keepInSpool(lead)
      try {
        return await direct.keepLead(lead)
      } catch (error) {
        if (!(error instanceof StorageUnavailable)) report('database.fault', errorFacts(error))
        return keepInSpool(lead)
      }
    },
    findLead: (id) => unlessSpooled((store) => store.findLead(id)),
    async probe(at) {
      try {
        await direct.probe(at)
      } catch (error) {
        if (error instanceof StoreRefused) throw error
        await spool.probe(at)
      }
    },
    async state() {
      await engine.lookAtSchema()
      return { away: engine.away()?.reason, spool: await readSpool(spoolEngine) }
    },
    onDrained: (callback) => void listeners.push(callback),
    async close() {
      await drain.stop()
      await direct.close()
      await spool.close()
    },
  }

  async function keepInSpool(lead: Parameters<Store['keepLead']>[0]) {
    const kept = await spool.keepLead(lead)
    if (drain.isEmpty()) report('spool.began', { reason: engine.away()?.reason ?? 'refused' })
    drain.noteSpooled()
    return kept
  }

  /** A lead in the spool can be looked up, and withdrawn, once it is in the database. */
  async function unlessSpooled<T>(
    find: (store: Store) => Promise<T | undefined>,
  ): Promise<T | undefined> {
    const found = await find(direct)
    if (found === undefined && (await find(spool)) !== undefined) {
      throw new StorageUnavailable('spooled')
    }
    return found
  }
}

async function findHolder(engine: Engine, key: DedupKey): Promise<KeyHolder | undefined> {
  const [holder] = await readLeads(engine, 'where dedup_key = $1', [key.name])
  return holder
}
