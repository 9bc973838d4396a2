/** The database in the words of the service. Nothing outside this folder knows SQL. */
import { idSpansOf, readReference } from '../contract/reference.ts'
import { eventOfMove } from '../contract/states.ts'
import type { Mover, State } from '../contract/states.ts'
import { nextEvent } from './chain.ts'
import type { LeadEvent } from './chain.ts'
import type { Engine, Row } from './engine.ts'
import { createDeliveries } from './deliveries.ts'
import type { Deliveries } from './deliveries.ts'
import { createKeepLead } from './keep.ts'
import type { Elsewhere, KeepLead } from './keep.ts'
import { columns, insertEvent, readLeads, toEvent, toLead } from './rows.ts'
import type { Lead } from './rows.ts'

export type Moved = { kind: 'moved'; lead: Lead } | { kind: 'overtaken' }

export type Store = Deliveries & {
  keepLead: KeepLead
  /** Moves it only if it is still as given; another writer may have been quicker. */
  moveLead(lead: Lead, to: State, by: Mover, at: number): Promise<Moved>
  /** By id or by reference; more than one only where two share a reference. */
  findLeads(idOrReference: string): Promise<Lead[]>
  /** By how its id begins and ends, as a receipt tells it. */
  findLeadByEnds(ends: { start: string; tail: string }): Promise<Lead | undefined>
  /** Newest first. `before` is the id that the last page ended on. */
  listLeads(page: { state?: State; before?: string; limit: number }): Promise<Lead[]>
  /** In order of lead and number. */
  eventsOf(leadIds: readonly string[]): Promise<LeadEvent[]>
  /** Ids of leads that events speak of but that are not there. */
  strayEvents(limit: number): Promise<string[]>
  /** Counts up to `most`, so that a large store answers as fast as a small one. */
  countLeads(state: State | undefined, most: number): Promise<number>
  /** Commits something; rejects while nothing can be committed. */
  probe(at: number): Promise<void>
  close(): Promise<void>
}

export function openStore(engine: Engine, elsewhere?: Elsewhere): Store {
  return {
    ...createDeliveries(engine),
    keepLead: createKeepLead(engine, elsewhere),
    moveLead,

    async findLeads(idOrReference) {
      const reference = readReference(idOrReference)
      if (reference === undefined) {
        const id = idOrReference.trim().toLowerCase()
        return readLeads(engine, 'where id = $1', [id])
      }
      const found: Lead[] = []
      for (const { from, before } of idSpansOf(reference)) {
        const rest = 'where id >= $1 and id < $2 order by id desc'
        found.push(...(await readLeads(engine, rest, [from, before])))
      }
      return found.filter((lead) => lead.reference === reference)
    },

    async findLeadByEnds({ start, tail }) {
      const found = await readLeads(engine, 'where id >= $1 and id < $2', [
        `${start}-`,
        `${start}.`,
      ])
      return found.find(({ id }) => id.endsWith(`-${tail}`))
    },

    listLeads({ state, before = '~', limit }) {
      if (state === undefined) {
        return readLeads(engine, 'where id < $1 order by id desc limit $2', [before, limit])
      }
      const rest = 'where state = $1 and id < $2 order by id desc limit $3'
      return readLeads(engine, rest, [state, before, limit])
    },

    async eventsOf(leadIds) {
      const list = leadIds.map((_, index) => `$${index + 1}`).join(', ')
      const rows = await engine.read(
        `select lead_id, number, at, kind, data, hash from event
         where lead_id in (${list}) order by lead_id, number`,
        leadIds,
      )
      return rows.map(toEvent)
    },

    async strayEvents(limit) {
      const rows = await engine.read(
        `select distinct lead_id from event
         where not exists (select 1 from lead where lead.id = event.lead_id) limit $1`,
        [limit],
      )
      return rows.map((row) => String(row['lead_id']))
    },

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

    async probe(at) {
      await engine.run([
        [
          `insert into probe (id, at, room) values (1, $1, $2)
           on conflict (id) do update set at = $1, room = $2`,
          // As much as the largest body, and different each time: where this fits, a lead fits.
          [at, String(at).repeat(5_000)],
        ],
      ])
    },

    close: () => engine.close(),
  }

  async function moveLead(lead: Lead, to: State, by: Mover, at: number): Promise<Moved> {
    const event = nextEvent(lead, {
      at,
      kind: eventOfMove(lead.state, to),
      data: JSON.stringify({ from: lead.state, to, by }),
    })
    const [updated] = await engine.run([
      [
        `update lead set state = $1, state_changed_at = $2, event_count = event_count + 1, event_head = $3
         where id = $4 and event_head = $5 returning ${columns}`,
        [to, at, event.hash, lead.id, lead.eventHead],
      ],
      insertEvent(event),
    ])
    const [row] = updated as Row[]
    return row ? { kind: 'moved', lead: toLead(row) } : { kind: 'overtaken' }
  }
}
