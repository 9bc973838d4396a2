/** What waits in a spool: leads as they came in, and what has happened to them since. */
import { digest } from './chain.ts'
import type { LeadEvent } from './chain.ts'
import type { Engine } from './engine.ts'
import { columns, toLead } from './rows.ts'
import type { HeldClaim, Lead, NewLead } from './rows.ts'
import type { Store } from './store.ts'

export type Spooled = { lead: Lead; claim: HeldClaim; channels: string[]; events: LeadEvent[] }

export type Spool = { spoolEngine: Pick<Engine, 'read'>; spool: Pick<Store, 'eventsOf'> }

/** The oldest, without what was set aside. */
export async function readSpooled(
  { spoolEngine, spool }: Spool,
  limit: number,
): Promise<Spooled[]> {
  const rows = await spoolEngine.read(
    `select ${columns}, claim from lead
     where not exists (select 1 from set_aside where lead_id = id) order by id limit $1`,
    [limit],
  )
  if (rows.length === 0) return []
  const leads = rows.map(toLead)
  const events = await spool.eventsOf(leads)
  const channels = await readChannels(
    spoolEngine,
    leads.map(({ id }) => id),
  )
  return leads.map((lead, index) => {
    const name = rows[index]!['claim']
    return {
      lead,
      // It has none where the same words were sent again after it was withdrawn.
      claim: typeof name === 'string' ? { name, until: lead.claimUntil } : ownClaim(lead.id),
      channels: channels.get(lead.id) ?? [],
      events: events[index]!,
    }
  })
}

/** A claim that nobody else can make. */
export function ownClaim(leadId: string): HeldClaim {
  return { name: digest(`spooled ${leadId}`), until: 0 }
}

/** As it was when it came in; what happened to it since follows event by event. */
export function toNewLead({ lead, claim, channels, events }: Spooled): NewLead {
  return {
    ...lead,
    state: events[0]?.kind === 'lead.held' ? 'held' : 'new',
    claim: { by: 'earlier', held: claim },
    deliverTo: channels,
  }
}

async function readChannels(
  spoolEngine: Pick<Engine, 'read'>,
  ids: readonly string[],
): Promise<Map<string, string[]>> {
  const places = ids.map((_, index) => `$${index + 1}`).join(', ')
  const rows = await spoolEngine.read(
    `select lead_id, channel from delivery where lead_id in (${places})`,
    ids,
  )
  const channels = new Map<string, string[]>()
  for (const row of rows) {
    const leadId = String(row['lead_id'])
    channels.set(leadId, [...(channels.get(leadId) ?? []), String(row['channel'])])
  }
  return channels
}
