/** Reads pages, counts and single leads. No query gets slower with the number of leads. */
import { states, type State } from '../../contract/states.ts'
import { type Span } from '../deliveries/about.ts'
import { fromRow, toParameters, type Engine, type Row } from '../engine/engine.ts'
import { readEvents, type LeadEvent } from './events.ts'
import { readLeads, toIdStart, type Lead } from './rows.ts'

/** `past`: the last id of the previous page. */
export type StatesPage = {
  states: readonly State[]
  order: 'newest' | 'oldest'
  past?: string
  limit: number
}

export type AgedLead = { id: string; stateChangedAt: number }

export type Views = ReturnType<typeof createViews>

export function createViews(engine: Engine) {
  return {
    async findLead(id: string): Promise<Lead | undefined> {
      return (await readLeads(engine, 'where id = $1', [id]))[0]
    },

    async findByReference(reference: string): Promise<Lead | undefined> {
      return (await readLeads(engine, 'where reference = $1', [reference]))[0]
    },

    /** Leads in the order of the given ids. Unknown ids are left out. */
    async findLeads(ids: readonly string[]): Promise<Lead[]> {
      if (ids.length === 0) return []
      const found = await readLeads(engine, `where id in (${toParameters(ids.length)})`, ids)
      const byId = new Map(found.map((lead) => [lead.id, lead]))
      return ids.flatMap((id) => byId.get(id) ?? [])
    },

    /** All events of each lead, oldest first. */
    eventsOf(leads: readonly Lead[]): Promise<LeadEvent[][]> {
      return readEvents(engine, leads)
    },

    /** Leads, newest first. `before`: the last id of the previous page. */
    listLeads(page: { state?: State; before?: string; limit: number }): Promise<Lead[]> {
      const { state, before = '~', limit } = page
      if (state === undefined) {
        return readLeads(engine, 'where id < $1 order by id desc limit $2', [before, limit])
      }
      const rest = 'where state = $1 and id < $2 order by id desc limit $3'
      return readLeads(engine, rest, [state, before, limit])
    },

    leadsInStates({ states: wanted, order, past, limit }: StatesPage): Promise<Lead[]> {
      const [compare, direction, start] = ways[order]
      // Reads each state from its part of the index, then the rows of one page.
      const parts = wanted.map(
        (_, index) =>
          `select id from (select id from lead where state = $${index + 3} and id ${compare} $1
           order by id ${direction} limit $2) as part${index}`,
      )
      const ids = `${parts.join(' union all ')} order by id ${direction} limit $2`
      const rest = `where id in (select id from (${ids}) as page) order by id ${direction}`
      return readLeads(engine, rest, [past ?? start, limit, ...wanted])
    },

    /** Leads of a state that came in before the time `before`, oldest first. `past`: the last id of the previous page. */
    async agedLeads(
      state: State,
      { past, before, limit }: { past: string; before: number; limit: number },
    ): Promise<AgedLead[]> {
      const rows = await engine.read(
        `select id, state_changed_at from lead where state = $1 and id > $2 and id < $3
         order by id limit $4`,
        [state, past, toIdStart(before), limit],
      )
      return rows.map(fromRow<AgedLead>)
    },

    /** Counts the leads of each state up to `most`, so that a count stays fast in a large store. */
    async countStates(most: number): Promise<Record<State, number>> {
      const parts = states.map(
        (state, index) =>
          `select '${state}' as state, count(*) as n
           from (select 1 from lead where state = '${state}' limit $1) as part${index}`,
      )
      return byState(await engine.read(parts.join(' union all '), [most]))
    },

    /** How many leads came in during the span, by their present state. */
    async countReceived(span: Span): Promise<Partial<Record<State, number>>> {
      const sql = 'select state, count(*) as n from lead where id >= $1 and id < $2 group by state'
      return byState(await engine.read(sql, idsOf(span)))
    },

    /** Held leads of this span, the mildest judged first, then the newest. */
    heldLeads(span: Span, limit: number): Promise<Lead[]> {
      const rest = `${heldIn} order by score, id desc limit $3`
      return readLeads(engine, rest, [...idsOf(span), limit])
    },

    async countHeld(span: Span): Promise<number> {
      const [row] = await engine.read(`select count(*) as n from lead ${heldIn}`, idsOf(span))
      return Number(row!['n'])
    },
  }
}

const ways = {
  newest: ['<', 'desc', '~'],
  oldest: ['>', 'asc', ''],
} as const

const heldIn = `where state = 'held' and id >= $1 and id < $2`

function idsOf({ from, before }: Span): [string, string] {
  return [toIdStart(from), toIdStart(before)]
}

function byState(rows: Row[]): Record<State, number> {
  const counts = rows.map((row) => [row['state'], Number(row['n'])])
  return Object.fromEntries(counts) as Record<State, number>
}
