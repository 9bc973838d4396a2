/** Reads the leads that the figures of the inbox count, each with its moves. */
import { type Engine } from '../engine/engine.ts'
import { type LeadEvent } from './events.ts'
import { toIdStart, type Lead } from './rows.ts'

/** `moves` are the owner's moves, the oldest first. */
export type CountedLead = Pick<Lead, 'id' | 'receivedAt' | 'door' | 'state'> & {
  postcode: string
  moves: readonly LeadEvent[]
}

export type Counting = ReturnType<typeof createCounting>

export function createCounting(engine: Engine) {
  return {
    /** Leads that came in since `from`, except held, spam and erased leads. */
    async leadsToCount(from: number): Promise<CountedLead[]> {
      // The SQL names the columns as the types do, because `fromRow` would take longer than the
      // queries.
      const leads = `select id, received_at as "receivedAt", door, state, postcode from lead
        where id >= $1 and state not in ('held', 'spam', 'erased')`
      const moves = `select lead_id as "leadId", number, at, kind, data from event
        where lead_id >= $1 and kind = 'lead.state_changed' order by lead_id, number`
      const found = [leads, moves].map((sql) => engine.read(sql, [toIdStart(from)]))
      const [counted, moved] = (await Promise.all(found)) as unknown as [CountedLead[], LeadEvent[]]
      const byLead = Map.groupBy(moved, ({ leadId }) => leadId)
      return counted.map((lead) => ({ ...lead, moves: byLead.get(lead.id) ?? [] }))
    },
  }
}
