/** Pages and counts of leads by their states. None gets slower with the number of leads. */
import { states } from '../contract/states.ts'
import type { State } from '../contract/states.ts'
import { toParameters } from './engine/engine.ts'
import type { Engine, Row } from './engine/engine.ts'
import { readLeads } from './rows.ts'
import type { Lead } from './rows.ts'

/** `past` is the last id of the page before. */
export type StatesPage = {
  states: readonly State[]
  order: 'newest' | 'oldest'
  past?: string
  limit: number
}

export type Views = {
  leadsInStates(page: StatesPage): Promise<Lead[]>
  /** Counts each up to `most`. */
  countStates(most: number): Promise<Record<State, number>>
  /** In the order of the ids; those that are gone are left out. */
  findLeads(ids: readonly string[]): Promise<Lead[]>
}

export function createViews(engine: Engine): Views {
  return {
    leadsInStates({ states: wanted, order, past, limit }) {
      const [compare, direction, start] = ways[order]
      // One state after the other, each from its part of the index; then the rows of one page.
      const parts = wanted.map(
        (_, index) =>
          `select id from (select id from lead where state = $${index + 3} and id ${compare} $1
           order by id ${direction} limit $2) as part${index}`,
      )
      const ids = `${parts.join(' union all ')} order by id ${direction} limit $2`
      const rest = `where id in (select id from (${ids}) as page) order by id ${direction}`
      return readLeads(engine, rest, [past ?? start, limit, ...wanted])
    },

    async countStates(most) {
      const parts = states.map(
        (state, index) =>
          `select '${state}' as state, count(*) as n
           from (select 1 from lead where state = '${state}' limit $1) as part${index}`,
      )
      const rows = await engine.read(parts.join(' union all '), [most])
      const counts = rows.map((row: Row) => [row['state'], Number(row['n'])])
      return Object.fromEntries(counts) as Record<State, number>
    },

    async findLeads(ids) {
      if (ids.length === 0) return []
      const found = await readLeads(engine, `where id in (${toParameters(ids.length)})`, ids)
      const byId = new Map(found.map((lead) => [lead.id, lead]))
      return ids.flatMap((id) => byId.get(id) ?? [])
    },
  }
}

const ways = {
  newest: ['<', 'desc', '~'],
  oldest: ['>', 'asc', ''],
} as const
