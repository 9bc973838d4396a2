/** A lead that waits in a spool, as it came in. */
import { ownDedupKey } from '../dedup.ts'
import { toParameters } from '../engine/engine.ts'
import type { Engine } from '../engine/engine.ts'
import { columns, toLead } from '../rows.ts'
import type { DedupKey, Lead, NewLead } from '../rows.ts'

export type SpoolEntry = { lead: Lead; key: DedupKey; channels: string[]; personKeys: string[] }

/** The oldest of those that wait, or of those that the database rejected. */
export async function readEntries(
  spoolEngine: Pick<Engine, 'read'>,
  limit: number,
  which: 'waiting' | 'rejected' = 'waiting',
): Promise<SpoolEntry[]> {
  const isThere = which === 'rejected' ? 'exists' : 'not exists'
  const rows = await spoolEngine.read(
    `select ${columns}, dedup_key from lead
     where ${isThere} (select 1 from rejected where lead_id = id) order by id limit $1`,
    [limit],
  )
  if (rows.length === 0) return []
  const leads = rows.map(toLead)
  const deliveries = await spoolEngine.read(
    `select lead_id, channel from delivery where lead_id in (${toParameters(leads.length)})`,
    leads.map(({ id }) => id),
  )
  const keys = await spoolEngine.read(
    `select lead_id, key from person_key where lead_id in (${toParameters(leads.length)})`,
    leads.map(({ id }) => id),
  )
  const keysOfLead = Map.groupBy(keys, (row) => row['lead_id'])
  const channels = Map.groupBy(deliveries, (row) => row['lead_id'])
  return leads.map((lead, index) => {
    const name = rows[index]!['dedup_key']
    return {
      lead,
      // A lead whose key was dropped, because its time was over, has none.
      key: typeof name === 'string' ? { name, until: lead.dedupUntil } : ownDedupKey(lead.id),
      channels: (channels.get(lead.id) ?? []).map((row) => String(row['channel'])),
      personKeys: (keysOfLead.get(lead.id) ?? []).map((row) => String(row['key'])),
    }
  })
}

export function toNewLead({ lead, channels, personKeys }: SpoolEntry, key: DedupKey): NewLead {
  return {
    ...lead,
    state: lead.state === 'held' ? 'held' : 'new',
    dedup: { by: 'stored', key },
    personKeys,
    deliverTo: channels,
  }
}
