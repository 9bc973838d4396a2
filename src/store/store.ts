/** The database in the words of the service. Nothing outside this folder knows SQL. */
import { toIdStart } from './id-time.ts'
import type { State } from '../contract/states.ts'
import { createAdditions } from './additions.ts'
import type { Additions } from './additions.ts'
import type { Span } from './about.ts'
import type { AccessStore } from './access/store.ts'
import { StorageUnavailable } from './engine/engine.ts'
import type { Engine } from './engine/engine.ts'
import { readEvents, type LeadEvent } from './events.ts'
import { createDeliveries } from './deliveries.ts'
import type { Deliveries } from './deliveries.ts'
import { createGathered } from './gathered.ts'
import type { Gathered } from './gathered.ts'
import { createKeepLead } from './keep.ts'
import type { OtherStore } from './keep-by-key.ts'
import type { KeepLead } from './kept.ts'
import { createMoves } from './moves.ts'
import type { Moves } from './moves.ts'
import { createOnce } from './once.ts'
import type { Once } from './once.ts'
import type { SpoolState } from './spool/status.ts'
import type { Repeats } from './repeats.ts'
import { readLeads } from './rows.ts'
import type { Lead } from './rows.ts'

export type StoreState = {
  /** Why nothing can be committed to the database now; `undefined` while it can. */
  away?: string | undefined
  /** Leads on this node that wait for the database. */
  spool?: SpoolState
}

export type Store = Additions &
  Deliveries &
  Gathered &
  Once &
  Moves & {
    /** Who may open the inbox. */
    access(): Promise<AccessStore>
    keepLead: KeepLead
    findLead(id: string): Promise<Lead | undefined>
    findByReference(reference: string): Promise<Lead | undefined>
    /** Newest first. `before` is the last id of the page before. */
    listLeads(page: { state?: State; before?: string; limit: number }): Promise<Lead[]>
    /** All events of each lead, oldest first. */
    eventsOf(leads: readonly Lead[]): Promise<LeadEvent[][]>
    /** Counts up to `most`, so that it stays fast in a large store. */
    countLeads(state: State | undefined, most: number): Promise<number>
    /** How many came in this span, by their present state. */
    countReceived(span: Span): Promise<Partial<Record<State, number>>>
    /** Held leads of this span, the mildest judged first, then the newest; `flood`: only those past the soft limit. */
    heldLeads(span: Span, which: 'all' | 'flood', limit: number): Promise<Lead[]>
    countHeld(span: Span, which: 'all' | 'flood'): Promise<number>
    /** Removes the leads of the daily check; their deliveries stay. */
    removeCanaries(since: number): Promise<void>
    /** The state of the database and the spool, for the operator: by a test commit, or as last seen. */
    state(at: number): Promise<StoreState>
    /** Makes a test commit; rejects if that fails. */
    probe(at: number): Promise<void>
    /** Called each time leads have come out of the spool: their deliveries may be due. */
    onDrained(callback: () => void): void
    close(): Promise<void>
  }

export function openStore(engine: Engine, other?: OtherStore, repeats?: Repeats): Store {
  return {
    ...createAdditions(engine),
    ...createDeliveries(engine),
    ...createGathered(engine),
    ...createOnce(engine),
    ...createMoves(engine),
    access: async () => (await import('./access/store.ts')).openAccessStore(engine),
    keepLead: createKeepLead(engine, other, repeats),
    async findLead(id) {
      const [lead] = await readLeads(engine, 'where id = $1', [id])
      return lead ?? findByAlias(id)
    },

    async findByReference(reference) {
      return (await readLeads(engine, 'where reference = $1', [reference]))[0]
    },

    listLeads({ state, before = '~', limit }) {
      if (state === undefined) {
        return readLeads(engine, 'where id < $1 order by id desc limit $2', [before, limit])
      }
      const rest = 'where state = $1 and id < $2 order by id desc limit $3'
      return readLeads(engine, rest, [state, before, limit])
    },

    eventsOf: (leads) => readEvents(engine, leads),

    async countLeads(state, most) {
      const [row] = state
        ? await engine.read(
            'select count(*) as n from (select 1 from lead where state = $1 limit $2) as counted',
            [state, most],
          )
        : await engine.read('select count(*) as n from (select 1 from lead limit $1) as counted', [
            most,
          ])
      return Number(row?.['n'])
    },

    async countReceived(span) {
      const rows = await engine.read(
        'select state, count(*) as n from lead where id >= $1 and id < $2 group by state',
        idsOf(span),
      )
      return Object.fromEntries(rows.map((row) => [row['state'], Number(row['n'])]))
    },

    heldLeads(span, which, limit) {
      return readLeads(engine, `${heldIn} order by score, id desc limit $4`, [
        ...idsOf(span),
        reasonLike[which],
        limit,
      ])
    },

    async countHeld(span, which) {
      const sql = `select count(*) as n from lead ${heldIn}`
      const [row] = await engine.read(sql, [...idsOf(span), reasonLike[which]])
      return Number(row?.['n'])
    },

    async removeCanaries(since) {
      const ids = `select id from lead where id >= $1 and door = 'canary'`
      await engine.run([
        [`delete from event where lead_id in (${ids})`, [toIdStart(since)]],
        [`delete from lead where id in (${ids})`, [toIdStart(since)]],
      ])
    },

    async state(at) {
      try {
        await probe(at)
        return {}
      } catch (error) {
        if (error instanceof StorageUnavailable) return { away: error.reason }
        throw error
      }
    },

    probe,

    onDrained() {},

    close: () => engine.close(),
  }

  async function probe(at: number): Promise<void> {
    await engine.run([
      [
        `insert into probe (id, at, room) values (1, $1, $2)
         on conflict (id) do update set at = $1, room = $2`,
        // As large as the largest body, and different each time: if this fits, a lead fits.
        [at, String(at).repeat(5_000)],
      ],
    ])
  }

  async function findByAlias(id: string): Promise<Lead | undefined> {
    const where = 'where id = (select lead_id from alias where alias.id = $1)'
    return (await readLeads(engine, where, [id]))[0]
  }
}

const heldIn = `where state = 'held' and id >= $1 and id < $2 and reasons like $3`
const reasonLike = { all: '%', flood: '%rate%' }

function idsOf({ from, before }: Span): [string, string] {
  return [toIdStart(from), toIdStart(before)]
}
