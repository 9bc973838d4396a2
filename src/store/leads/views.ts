/** Reads pages, counts and single leads. No query gets slower with the number of leads. */
import { states, type State } from '../../contract/states.ts'
import { type Span } from '../deliveries/about.ts'
import { toParameters, type Engine, type Row } from '../engine/engine.ts'
import { readEvents, type LeadEvent } from './events.ts'
import { readLeads, toIdStart, type Lead } from './rows.ts'

/** `states` left out: leads in any state. `past`: the last id of the previous page. */
export type LeadsPage = {
  states?: readonly State[] | undefined
  order?: 'newest' | 'oldest'
  past?: string | undefined
  limit: number
}

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

    listLeads({ states: wanted, order = 'newest', past, limit }: LeadsPage): Promise<Lead[]> {
      const [compare, direction, start] = ways[order]
      const from = [past ?? start, limit]
      if (wanted === undefined) {
        const rest = `where id ${compare} $1 order by id ${direction} limit $2`
        return readLeads(engine, rest, from)
      }
      // Reads each state from its part of the index, then the rows of one page.
      const parts = wanted.map(
        (_, index) =>
          `select id from (select id from lead where state = $${index + 3} and id ${compare} $1
           order by id ${direction} limit $2) as part${index}`,
      )
      const ids = `${parts.join(' union all ')} order by id ${direction} limit $2`
      const rest = `where id in (select id from (${ids}) as page) order by id ${direction}`
      return readLeads(engine, rest, [...from, ...wanted])
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
      const rest = `where state = 'held' and id >= $1 and id < $2 order by score, id desc limit $3`
      return readLeads(engine, rest, [...idsOf(span), limit])
    },
  }
}

const ways = {
  newest: ['<', 'desc', '~'],
  oldest: ['>', 'asc', ''],
} as const

function idsOf({ from, before }: Span): [string, string] {
  return [toIdStart(from), toIdStart(before)]
}

function byState(rows: Row[]): Record<State, number> {
  const counts = rows.map((row) => [row['state'], Number(row['n'])])
  return Object.fromEntries(counts) as Record<State, number>
}
