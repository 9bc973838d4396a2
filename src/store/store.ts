/** The database in the words of the service. Nothing outside this folder knows SQL. */
import { toIdStart } from './id-time.ts'
import type { State } from '../contract/states.ts'
import type { Span } from './about.ts'
import { AccessStore } from './access/store.ts'
import { createAged, type Aged } from './aged.ts'
import { StorageUnavailable } from './engine/engine.ts'
import type { Engine } from './engine/engine.ts'
import { readEvents, type LeadEvent, type Moved } from './events.ts'
import { createDeliveries, type Deliveries } from './deliveries.ts'
import { createErasing, type Erasing } from './erasing.ts'
import { createExports, type Exports } from './exports.ts'
import { repeatWindowMs } from '../contract/limits.ts'
import { forgetExpiredKeys, keepLead, type Kept } from './keep.ts'
import { moveLead, type Move } from './moves.ts'
import { createNotes, type Notes } from './notes.ts'
import { createOnce } from './once.ts'
import type { Once } from './once.ts'
import { createPeople, type People } from './people.ts'
import type { JournalState } from './journal.ts'
import { readLeads } from './rows.ts'
import type { Lead, NewLead } from './rows.ts'
import { createSearch, type Search } from './search.ts'
import { createViews, type Views } from './views.ts'

export type StoreState = {
  /** Why nothing can be committed to the database now; `undefined` while it can. */
  away?: string | undefined
  /** Leads on this node that wait for PostgreSQL. */
  journal?: JournalState
}

export type Store = Aged &
  Deliveries &
  Erasing &
  Exports &
  Notes &
  Once &
  People &
  Search &
  Views & {
    /** Who may open the inbox. */
    access: AccessStore
    keepLead(lead: NewLead): Promise<Kept>
    moveLead(lead: Lead, move: Move): Promise<Moved>
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
    /** Held leads of this span, the mildest judged first, then the newest. */
    heldLeads(span: Span, limit: number): Promise<Lead[]>
    countHeld(span: Span): Promise<number>
    /** The state of the database and the journal, for the operator: by a test commit, or as last seen. */
    state(at: number): Promise<StoreState>
    /** Makes a test commit; rejects if that fails. */
    probe(at: number): Promise<void>
    /** Called after each lead that is kept or moved, out of the journal too: its deliveries are due. */
    onDue(callback: () => void): void
    close(): Promise<void>
  }

export function openStore(engine: Engine): Store {
  let nextSweepAt = 0
  const listeners: (() => void)[] = []
  return {
    ...createAged(engine),
    ...createDeliveries(engine),
    ...createErasing(engine),
    ...createExports(engine),
    ...createNotes(engine),
    ...createOnce(engine),
    ...createPeople(engine),
    ...createSearch(engine),
    ...createViews(engine),
    access: new AccessStore(engine),
    async keepLead(lead) {
      const kept = await keepLead(engine, lead)
      if (kept.kind === 'kept') tellListeners()
      if (lead.receivedAt >= nextSweepAt) void sweepKeys(lead.receivedAt)
      return kept
    },

    async moveLead(lead, move) {
      const moved = await moveLead(engine, lead, move)
      if (moved.kind === 'moved') tellListeners()
      return moved
    },

    async findLead(id) {
      return (await readLeads(engine, 'where id = $1', [id]))[0]
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

    heldLeads(span, limit) {
      return readLeads(engine, `${heldIn} order by score, id desc limit $3`, [
        ...idsOf(span),
        limit,
      ])
    },

    async countHeld(span) {
      const [row] = await engine.read(`select count(*) as n from lead ${heldIn}`, idsOf(span))
      return Number(row?.['n'])
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

    onDue: (callback) => void listeners.push(callback),

    close: () => engine.close(),
  }

  function tellListeners(): void {
    for (const listener of listeners) listener()
  }

  /** No lead waits for it; where it fails, a later lead does it again. */
  async function sweepKeys(at: number): Promise<void> {
    nextSweepAt = at + repeatWindowMs
    const hasMore = await forgetExpiredKeys(engine, at).catch(() => false)
    if (hasMore) nextSweepAt = 0
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
}

const heldIn = `where state = 'held' and id >= $1 and id < $2`

function idsOf({ from, before }: Span): [string, string] {
  return [toIdStart(from), toIdStart(before)]
}
