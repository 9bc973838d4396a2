/**
 * A store on a shared database that may be away. While it is, leads are kept in a spool: a SQLite
 * file of this node, with the same schema and the same promises. When the database is back, the
 * spool is drained into it.
 */
import { StoreRefused } from './engine.ts'
import type { Engine } from './engine.ts'
import { createDrain } from './drain.ts'
import type { Elsewhere, Holder } from './keep.ts'
import type { PostgresEngine } from './postgres.ts'
import { readSpool } from './read-spool.ts'
import { createRepeats } from './repeats.ts'
import { createRecent } from './recent.ts'
import { readLeads } from './rows.ts'
import type { Lead } from './rows.ts'
import { openStore } from './store.ts'
import type { SqliteEngine } from './sqlite.ts'
import type { Store, Report } from './store.ts'

export type SpoolParts = {
  engine: PostgresEngine
  /** Of the spool file. */
  spoolEngine: SqliteEngine
  now: () => number
  report: Report
}

/** A business that gets more leads in the time of an outage will bear a double. */
const mostKnown = 10_000

export function openSpooledStore({ engine, spoolEngine, now, report }: SpoolParts): Store {
  // Keys in the database that this node knows of, for while it is away.
  const known = createRecent<string, Holder>(mostKnown)
  const repeats = createRepeats()
  const inSpool: Elsewhere = {
    find: (claim) => (drain.isEmpty() ? undefined : holderInSpool(spoolEngine, claim)),
    findLead: async (id) => (await readLeads(spoolEngine, 'where id = $1', [id]))[0],
    note: (claim, holder) => known.set(claim, holder),
  }
  const direct = openStore(engine, inSpool, repeats)
  // Every claim is in the file, so that the drain finds it there.
  const spool = openStore({ ...spoolEngine, soleWriter: false }, knownOnly(known), repeats)
  const drain = createDrain({ engine, direct, spoolEngine, spool, now, report })
  engine.onReturn(drain.start)
  drain.start()

  return {
    ...direct,
    keepLead: (lead) =>
      engine.away() === undefined
        ? direct.keepLead(lead).catch(() => keepInSpool(lead))
        : keepInSpool(lead),
    async moveLead(lead, ...move) {
      return ((await isSpooled(lead)) ? spool : direct).moveLead(lead, ...move)
    },
    findLead: (id) =>
      here(
        (store) => store.findLead(id),
        (found) => found !== undefined,
      ),
    findByReference: (reference) =>
      here(
        (store) => store.findByReference(reference),
        (found) => found.length > 0,
      ),
    findLeadByEnds: (ends) =>
      here(
        (store) => store.findLeadByEnds(ends),
        (found) => found !== undefined,
      ),
    async probe(at) {
      try {
        await direct.probe(at)
      } catch (error) {
        if (error instanceof StoreRefused) throw error
        await spool.probe(at)
      }
    },
    state: async () => ({
      away: engine.away()?.reason,
      spool: await readSpool(spoolEngine),
    }),
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

  /** As it is given, that is: it may be in the database already, and have moved on there. */
  async function isSpooled({ id, eventHead }: Lead): Promise<boolean> {
    const found = await spool.findLead(id)
    return found?.eventHead === eventHead
  }

  /** In the database; what is not found there, or cannot be looked for, may be in the spool. */
  async function here<T>(
    look: (store: Store) => Promise<T>,
    isFound: (result: T) => boolean,
  ): Promise<T> {
    let failure: unknown
    try {
      const found = await look(direct)
      if (isFound(found)) return found
    } catch (error) {
      failure = error
    }
    const found = await look(spool)
    if (failure !== undefined && !isFound(found)) throw failure
    return found
  }
}

async function holderInSpool(spoolEngine: Engine, claim: string): Promise<Holder | undefined> {
  const [holder] = await readLeads(spoolEngine, 'where dedup_key = $1', [claim])
  return holder
}

/** What has become of a lead that is in the database, nobody knows while that is away. */
function knownOnly(known: { get(claim: string): Holder | undefined }): Elsewhere {
  return {
    find: (claim) => known.get(claim),
    findLead: () => Promise.resolve(undefined),
    note: () => {},
  }
}
