/** The database in the words of the service. Nothing outside this folder knows SQL. */
import { keyKeptMs, repeatWindowMs } from '../contract/limits.ts'
import { eventOfMove } from '../contract/states.ts'
import type { Mover, State } from '../contract/states.ts'
import type { Channel } from '../contract/success.ts'
import { chainStart, digest, fingerprintOf, linkEvent } from './chain.ts'
import type { LeadEvent } from './chain.ts'
import { StorageUnavailable } from './engine.ts'
import type { Engine, Statement } from './engine.ts'
import { columns, insertEvent, insertLead, toEvent, toLead } from './rows.ts'
import type { Claim, Lead, NewLead } from './rows.ts'

export type Kept =
  | { kind: 'kept'; reference: string }
  | { kind: 'repeated'; id: string; reference: string }
  | { kind: 'key-reused' }

export type Moved = { kind: 'moved'; lead: Lead } | { kind: 'overtaken' }

export type Store = {
  keepLead(lead: NewLead): Promise<Kept>
  /** Moves it only if it is still as given; another writer may have been quicker. */
  moveLead(lead: Lead, to: State, by: Mover, at: number): Promise<Moved>
  /** By id or by reference; more than one only where two share a reference. */
  findLeads(idOrReference: string): Promise<Lead[]>
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

export function openStore(engine: Engine): Store {
  return {
    keepLead,
    moveLead,

    async findLeads(idOrReference) {
      const rows = await engine.read(
        `select ${columns} from lead where id = $1 or reference = $2 order by id limit 20`,
        [idOrReference.toLowerCase(), idOrReference.toUpperCase()],
      )
      return rows.map(toLead)
    },

    async listLeads({ state, before = '~', limit }) {
      const rows = state
        ? await engine.read(
            `select ${columns} from lead where state = $1 and id < $2 order by id desc limit $3`,
            [state, before, limit],
          )
        : await engine.read(`select ${columns} from lead where id < $1 order by id desc limit $2`, [
            before,
            limit,
          ])
      return rows.map(toLead)
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
            'select count(*) as n from (select 1 from lead where state = $1 limit $2) as some',
            [state, most],
          )
        : await engine.read('select count(*) as n from (select 1 from lead limit $1) as some', [
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

  async function keepLead(lead: NewLead): Promise<Kept> {
    const fingerprint = fingerprintOf(lead.values, lead.unlisted)
    const claim = toClaim(lead.claim, fingerprint, lead.receivedAt)
    const first = linkEvent(
      {
        leadId: lead.id,
        number: 0,
        at: lead.receivedAt,
        kind: lead.state === 'held' ? 'lead.held' : 'lead.received',
        data: JSON.stringify({
          fingerprint,
          channel: lead.channel,
          reasons: lead.judgement.reasons,
        }),
      },
      chainStart,
    )
    const batch = [
      insertLead(lead, { fingerprint, claim, head: first.hash }),
      insertEvent(first),
      ...lead.deliverTo.map((channel) => insertDelivery(lead, channel)),
    ]
    const [inserted] = await engine.run(batch)
    if (inserted![0]) return { kind: 'kept', reference: String(inserted![0]['reference']) }
    return keepAgain(lead, claim.name, fingerprint, batch)
  }

  /** Somebody holds the claim already: the same lead, another lead, or one so old that it counts no more. */
  async function keepAgain(
    lead: NewLead,
    claim: string,
    fingerprint: string,
    batch: Statement[],
    triesLeft = 3,
  ): Promise<Kept> {
    if (triesLeft === 0) throw new StorageUnavailable('contended')
    const [holder] = (
      await engine.read(`select ${columns} from lead where claim = $1`, [claim])
    ).map(toLead)
    if (holder === undefined || holder.claimUntil <= lead.receivedAt) {
      const release: Statement = [
        'update lead set claim = null where claim = $1 and claim_until <= $2',
        [claim, lead.receivedAt],
      ]
      const [, inserted] = await engine.run([release, ...batch])
      if (inserted![0]) return { kind: 'kept', reference: String(inserted![0]['reference']) }
      return keepAgain(lead, claim, fingerprint, batch, triesLeft - 1)
    }
    if (holder.fingerprint !== fingerprint) return { kind: 'key-reused' }
    await noteRepeat(holder, lead.channel, lead.receivedAt)
    return { kind: 'repeated', id: holder.id, reference: holder.reference }
  }

  /** Only while nobody else adds an event: a missing note of a repeat is no loss. */
  async function noteRepeat(lead: Lead, channel: Channel, at: number): Promise<void> {
    const event = linkEvent(
      {
        leadId: lead.id,
        number: lead.eventCount,
        at,
        kind: 'lead.repeated',
        data: JSON.stringify({ channel }),
      },
      lead.eventHead,
    )
    await engine.run([
      [
        'update lead set event_count = event_count + 1, event_head = $1 where id = $2 and event_head = $3',
        [event.hash, lead.id, lead.eventHead],
      ],
      insertEvent(event),
    ])
  }

  async function moveLead(lead: Lead, to: State, by: Mover, at: number): Promise<Moved> {
    const event = linkEvent(
      {
        leadId: lead.id,
        number: lead.eventCount,
        at,
        kind: eventOfMove(lead.state, to),
        data: JSON.stringify({ from: lead.state, to, by }),
      },
      lead.eventHead,
    )
    const [updated] = await engine.run([
      [
        `update lead set state = $1, state_changed_at = $2, event_count = event_count + 1, event_head = $3
         where id = $4 and event_head = $5 returning ${columns}`,
        [to, at, event.hash, lead.id, lead.eventHead],
      ],
      insertEvent(event),
    ])
    return updated![0] ? { kind: 'moved', lead: toLead(updated![0]) } : { kind: 'overtaken' }
  }
}

function toClaim(claim: Claim, fingerprint: string, now: number): { name: string; until: number } {
  if (claim.by === 'content') {
    return { name: digest(`content ${fingerprint}`), until: now + repeatWindowMs }
  }
  // A nonce is no promise of the person: going back and typing something else is another lead.
  const scope = claim.by === 'nonce' ? fingerprint : ''
  return { name: digest(`${claim.by} ${claim.value} ${scope}`), until: now + keyKeptMs }
}

function insertDelivery(lead: NewLead, channel: string): Statement {
  return [
    `insert into delivery (id, lead_id, channel, kind, due_at, attempts)
     select $1, $2, $3, $4, cast($5 as bigint), 0 where exists (select 1 from lead where id = $2)`,
    [`${lead.id}/${channel}`, lead.id, channel, 'lead.received', lead.receivedAt],
  ]
}
