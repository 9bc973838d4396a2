/** What waits in a spool: leads as they came in, and what has happened to them since. */
import type { ChannelsFor } from '../contract/notices.ts'
import type { MoveEvent } from '../contract/states.ts'
import { digest, moveOf } from './chain.ts'
import type { LeadEvent } from './chain.ts'
import { insertMoveNotice } from './delivery-rows.ts'
import { toParameters } from './engine.ts'
import type { Engine, Statement } from './engine.ts'
import { columns, insertEvent, toLead } from './rows.ts'
import type { EarlierDedup, DedupKey, Lead, NewLead } from './rows.ts'
import type { Store } from './store.ts'

export type Spooled = {
  lead: Lead
  claim: DedupKey
  events: LeadEvent[]
  /** Which channels are to be told of each event, in the order of the events. */
  channels: string[][]
}

export type Spool = { spoolEngine: Pick<Engine, 'read'>; spool: Pick<Store, 'eventsOf'> }

/** The oldest, without what was set aside. */
export async function readSpooled(
  { spoolEngine, spool }: Spool,
  limit: number,
): Promise<Spooled[]> {
  const rows = await spoolEngine.read(
    `select ${columns}, dedup_key from lead
     where not exists (select 1 from rejected where lead_id = id) order by id limit $1`,
    [limit],
  )
  if (rows.length === 0) return []
  const leads = rows.map(toLead)
  const events = await spool.eventsOf(leads)
  const channelsOf = await readChannels(spoolEngine, leads)
  return leads.map((lead, index) => {
    const name = rows[index]!['dedup_key']
    return {
      lead,
      // It has none where the same words were sent again after it was withdrawn.
      claim: typeof name === 'string' ? { name, until: lead.dedupUntil } : ownDedupKey(lead.id),
      events: events[index]!,
      channels: events[index]!.map(channelsOf),
    }
  })
}

/** A claim that nobody else can make. */
export function ownDedupKey(leadId: string): DedupKey {
  return { name: digest(`spooled ${leadId}`), until: 0 }
}

/** As it was when it came in, together with what has happened to it since. */
export function toNewLead(
  spooled: Spooled,
  isAnother: EarlierDedup['isAnother'],
  held = spooled.claim,
): NewLead {
  const { lead, channels, events } = spooled
  return {
    ...lead,
    state: events[0]?.kind === 'lead.held' ? 'held' : 'new',
    dedup: { by: 'earlier', held, since: sinceThen(spooled), isAnother },
    deliverTo: channels[0] ?? [],
  }
}

/** Each does nothing where it was done before, or something else has happened to the lead first. */
export function sinceThen({ lead, events, channels }: Spooled): Statement[] {
  return events.slice(1).flatMap((event) => {
    const before = events[event.number - 1]!.hash
    const { to } = moveOf(event)
    const change = to === undefined ? '' : ', state = $4, state_changed_at = $5'
    const update: Statement = [
      `update lead set event_count = event_count + 1, event_head = $1${change} where id = $2 and event_head = $3`,
      [event.hash, lead.id, before, ...(to === undefined ? [] : [to, event.at])],
    ]
    const notices = channels[event.number]!.map((channel) =>
      insertMoveNotice({ ...event, kind: event.kind as MoveEvent }, channel),
    )
    return [update, insertEvent(event), ...notices]
  })
}

/** Which channels are to be told of the latest event of this kind. */
export function audienceOf({ events, channels }: Spooled): ChannelsFor {
  return (kind) => channels[events.findLastIndex((event) => event.kind === kind)] ?? []
}

async function readChannels(
  spoolEngine: Pick<Engine, 'read'>,
  leads: readonly Lead[],
): Promise<(event: LeadEvent) => string[]> {
  const rows = await spoolEngine.read(
    `select lead_id, about, channel from delivery where lead_id in (${toParameters(leads.length)})`,
    leads.map(({ id }) => id),
  )
  // What is told of a lead itself is about no event in particular: that is its first.
  const byEvent = Map.groupBy(rows, (row) => `${row['lead_id']} ${row['about'] || 0}`)
  return ({ leadId, number }) =>
    (byEvent.get(`${leadId} ${number}`) ?? []).map((row) => String(row['channel']))
}
