/** Reads pages, counts and single leads. No query gets slower with the number of leads. */
import { states, type State } from '../../contract/states.ts'
import { type Span } from '../deliveries/about.ts'
import { fromRow, toParameters, type Engine, type Row } from '../engine/engine.ts'
import { type LeadEvent } from './events.ts'
import { ofLeads, readLeads, toIdStart, type Lead } from './rows.ts'

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
    async eventsOf(leads: readonly Lead[]): Promise<LeadEvent[][]> {
      if (leads.length === 0) return []
      const [where, ids] = ofLeads(leads)
      const sql = `select * from event where ${where} order by lead_id, number`
      const events = (await engine.read(sql, ids)).map(fromRow<LeadEvent>)
      const byLead = Map.groupBy(events, ({ leadId }) => leadId)
      return leads.map(({ id }) => byLead.get(id) ?? [])
    },

    listLeads({ states: wanted, order = 'newest', past, limit }: LeadsPage): Promise<Lead[]> {
      const [compare, direction, start] = ways[order]
      const isWanted = wanted ? `state in (${toParameters(wanted.length, 3)})` : 'true'
      // The index of states gives the ids; only the rows of one page are read.
      const ids = `select id from lead where ${isWanted} and id ${compare} $1
        order by id ${direction} limit $2`
      const rest = `where id in (${ids}) order by id ${direction}`
      return readLeads(engine, rest, [past ?? start, limit, ...(wanted ?? [])])
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
