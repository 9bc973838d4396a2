/** Erases leads. */
import { fieldKeys } from '../contract/fields.ts'
import { findBreak, nextEvent, relink, toChain } from './chain.ts'
import type { LeadEvent } from './chain.ts'
import type { Dialect, Engine, Statement } from './engine/engine.ts'
import { jsonRows } from './engine/json-rows.ts'
import { changeTo, toMoved } from './moves.ts'
import type { Move, Moved } from './moves.ts'
import { insertEvent, ofLeads, readLaterEvents } from './rows.ts'
import type { Lead } from './rows.ts'
import { markErased } from './search.ts'

export type Erasure = Pick<Move, 'by' | 'at'>
/** One of many. */
export type ErasureOf = Erasure & { lead: Lead }

export type Erasing = {
  /**
   * Removes all that the sender sent, the deliveries that carry it, and what the owner added. An
   * empty row stays, with its events.
   */
  eraseLead(lead: Lead, erasure: Erasure): Promise<Moved>
  /** Many in one commit. */
  eraseLeads(erasures: readonly ErasureOf[]): Promise<Moved[]>
}

export function createErasing(engine: Engine): Erasing {
  return {
    async eraseLead(lead, erasure) {
      const [batch] = await toBatches([{ lead, ...erasure }])
      const [updated] = await engine.run(batch!)
      engine.forgetDeleted()
      return toMoved(updated)
    },

    async eraseLeads(erasures) {
      if (erasures.length === 0) return []
      const batches = await toBatches(erasures)
      const results = await engine.run(batches.flat())
      engine.forgetDeleted()
      let at = 0
      return batches.map(({ length }) => toMoved(results[(at += length) - length]))
    },
  }

  async function toBatches(erasures: readonly ErasureOf[]): Promise<Statement[][]> {
    const later = await readLaterEvents(engine, ofLeads(erasures.map(({ lead }) => lead)))
    return erasures.map((each) => toBatch(each, later.get(each.lead.id) ?? [], engine.dialect))
  }
}

/** Its first statement is `changeTo`. */
function toBatch(
  { lead, by, at }: ErasureOf,
  later: readonly LeadEvent[],
  dialect: Dialect,
): Statement[] {
  const events = withoutContent(lead, later)
  const head = events.at(-1)?.hash ?? lead.eventHead
  const data = JSON.stringify({ from: lead.state, to: 'erased', by })
  const event = nextEvent({ ...lead, eventHead: head }, { at, kind: 'lead.erased', data })
  return [
    changeTo(`${emptied}, state_changed_at = $1, erased_at = $2`, [at, at], lead, event),
    insertEvent(event),
    ...changeHashes(events.slice(1), event, dialect),
    ...forgetDeliveries(event),
    ...forgetAdditions(event),
    markErased(at),
  ]
}

/**
 * The fingerprint goes too: whoever guesses the details could check the guess by it, or by the
 * hashes that depend on it. So the events are linked anew. A chain that is broken already stays
 * broken, for `verify` to find.
 */
function withoutContent(lead: Lead, later: readonly LeadEvent[]): LeadEvent[] {
  if (findBreak(lead, toChain(lead, later)) !== undefined) return []
  return relink(toChain({ ...lead, fingerprint: '' }, later))
}

/** The rest of the row is what the chain of events is made of. */
const emptied = [
  ...[...fieldKeys, 'unlisted', 'botcheck', 'agent', 'client', 'user_agent', 'fingerprint'].map(
    (column) => `${column} = ''`,
  ),
  `dedup_key = null, dedup_until = 0, state = 'erased'`,
].join(', ')

const mostInOneStatement = 5_000

/**
 * Where the lead's head is this last event. Each row conflicts with itself: an update that is joined
 * with JSON may compare each row with each element, as the planner expects few of both.
 */
function changeHashes(
  events: readonly LeadEvent[],
  { leadId, hash: head }: LeadEvent,
  dialect: Dialect,
): Statement[] {
  const statements: Statement[] = []
  for (let first = 0; first < events.length; first += mostInOneStatement) {
    const some = events.slice(first, first + mostInOneStatement)
    const rows = some.map(({ number, at, kind, data, hash }) => [number, at, kind, data, hash])
    statements.push([
      `insert into event (lead_id, number, at, kind, data, hash)
       select lead.id, cast(value->>0 as bigint), cast(value->>1 as bigint), value->>2, value->>3,
       value->>4 from lead cross join ${jsonRows(dialect, '$1')}
       where lead.id = $2 and lead.event_head = $3
       on conflict (lead_id, number) do update set hash = excluded.hash`,
      [JSON.stringify(rows), leadId, head],
    ])
  }
  return statements
}

/** Where the lead's head is its last event. */
const isTheLast = 'exists (select 1 from lead where lead.id = $1 and lead.event_head = $2)'

/** A mail server's answer may name the person. */
function forgetDeliveries({ leadId, hash }: LeadEvent): Statement[] {
  return [
    [
      `delete from delivery_try where ${isTheLast}
       and delivery_id in (select delivery.id from delivery where delivery.lead_id = $1)`,
      [leadId, hash],
    ],
    [`delete from delivery where ${isTheLast} and lead_id = $1`, [leadId, hash]],
  ]
}

/** Notes, the hashes of email and phone, and the words in the search index. */
function forgetAdditions({ leadId, hash }: LeadEvent): Statement[] {
  return ['note', 'person_key', 'search_doc'].map((table) => [
    `delete from ${table} where ${isTheLast} and lead_id = $1`,
    [leadId, hash],
  ])
}
