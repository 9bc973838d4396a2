/** What waits in a spool: leads as they came in, and what has happened to them since. */
import { digest, moveOf } from './chain.ts'
import type { LeadEvent } from './chain.ts'
import { toPlaces } from './engine.ts'
import type { Engine, Statement } from './engine.ts'
import { columns, insertEvent, toLead } from './rows.ts'
import type { EarlierClaim, HeldClaim, Lead, NewLead } from './rows.ts'
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

/** As it was when it came in, together with what has happened to it since. */
export function toNewLead(
  spooled: Spooled,
  isAnother: EarlierClaim['isAnother'],
  held = spooled.claim,
): NewLead {
  const { lead, channels, events } = spooled
  return {
    ...lead,
    state: events[0]?.kind === 'lead.held' ? 'held' : 'new',
    claim: { by: 'earlier', held, since: sinceThen(spooled), isAnother },
    deliverTo: channels,
  }
}

/** Each does nothing where it was done before, or something else has happened to the lead first. */
export function sinceThen({ lead, events }: Spooled): Statement[] {
  return events.slice(1).flatMap((event) => {
    const before = events[event.number - 1]!.hash
    const { to } = moveOf(event)
    const change = to === undefined ? '' : ', state = $4, state_changed_at = $5'
    const update: Statement = [
      `update lead set event_count = event_count + 1, event_head = $1${change} where id = $2 and event_head = $3`,
      [event.hash, lead.id, before, ...(to === undefined ? [] : [to, event.at])],
    ]
    return [update, insertEvent(event)]
  })
}

async function readChannels(
  spoolEngine: Pick<Engine, 'read'>,
  ids: readonly string[],
): Promise<Map<string, string[]>> {
  const rows = await spoolEngine.read(
    `select lead_id, channel from delivery where lead_id in (${toPlaces(ids.length)})`,
    ids,
  )
  const channels = new Map<string, string[]>()
  for (const row of rows) {
    const leadId = String(row['lead_id'])
    channels.set(leadId, [...(channels.get(leadId) ?? []), String(row['channel'])])
  }
  return channels
}
