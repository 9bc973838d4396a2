/** Whether the owner was told of a lead, through any channel of his. */
import { senderMail } from '../contract/notices.ts'
import { toParameters } from './engine/engine.ts'
import type { Engine, Row } from './engine/engine.ts'

/** `untold`: nothing was to be sent, as of a held lead. `failed`: given up through every channel. */
export type ToldState = 'told' | 'waiting' | 'failed' | 'untold'

export type ToldLeads = {
  toldOf(leadIds: readonly string[]): Promise<Map<string, ToldState>>
}

export function createToldLeads(engine: Engine): ToldLeads {
  return {
    async toldOf(leadIds) {
      if (leadIds.length === 0) return new Map()
      const rows = await engine.read(
        `select notice.lead_id, case when notice.outcome = 'gathered' then digest.outcome else notice.outcome end as outcome
         from delivery as notice
         left join delivery as digest on notice.outcome = 'gathered' and digest.id = notice.about
         where notice.lead_id in (${toParameters(leadIds.length)})
           and notice.kind in ('lead.received', 'lead.released') and notice.channel <> '${senderMail}'`,
        leadIds,
      )
      const byLead = Map.groupBy(rows, (row) => String(row['lead_id']))
      return new Map(leadIds.map((id) => [id, stateOf(byLead.get(id) ?? [])]))
    },
  }
}

function stateOf(rows: readonly Row[]): ToldState {
  const has = (outcome: string) => rows.some((row) => row['outcome'] === outcome)
  if (has('delivered')) return 'told'
  if (has('')) return 'waiting'
  return has('dead') ? 'failed' : 'untold'
}
