/** A lead that waits in a spool, as it came in. */
import { toParameters } from '../engine/engine.ts'
import type { Engine } from '../engine/engine.ts'
import { columns, toLead } from '../rows.ts'
import type { Lead, NewLead } from '../rows.ts'

export type SpoolEntry = { lead: Lead; channels: string[] }

/** The oldest of those that wait, or of those that the database rejected. */
export async function readEntries(
  spoolEngine: Pick<Engine, 'read'>,
  limit: number,
  which: 'waiting' | 'rejected' = 'waiting',
): Promise<SpoolEntry[]> {
  const isThere = which === 'rejected' ? 'exists' : 'not exists'
  const rows = await spoolEngine.read(
    `select ${columns} from lead
     where ${isThere} (select 1 from rejected where lead_id = id) order by id limit $1`,
    [limit],
  )
  if (rows.length === 0) return []
  const leads = rows.map(toLead)
  const deliveries = await spoolEngine.read(
    `select lead_id, channel from delivery where lead_id in (${toParameters(leads.length)})`,
    leads.map(({ id }) => id),
  )
  const channels = Map.groupBy(deliveries, (row) => row['lead_id'])
  return leads.map((lead) => ({
    lead,
    channels: (channels.get(lead.id) ?? []).map((row) => String(row['channel'])),
  }))
}

export function toNewLead({ lead, channels }: SpoolEntry, by: 'content' | 'none'): NewLead {
  return {
    ...lead,
    state: lead.state === 'held' ? 'held' : 'new',
    dedup: { by },
    deliverTo: channels,
  }
}
