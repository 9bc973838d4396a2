/** Moves a lead from state to state, and erases it. */
import { setTimeout as sleep } from 'node:timers/promises'
import { isMoveTold, noChannels } from '../contract/notices.ts'
import type { ChannelsFor } from '../contract/notices.ts'
import { eventOfMove } from '../contract/states.ts'
import type { State } from '../contract/states.ts'
import { fieldKeys } from '../contract/fields.ts'
import { findBreak, nextEvent, relink, toChain } from './chain.ts'
import type { LeadEvent } from './chain.ts'
import { insertMoveNotice } from './delivery-rows.ts'
import { StorageUnavailable } from './engine/engine.ts'
import type { Engine, Row, Statement } from './engine/engine.ts'
import { columns, insertEvent, ofLeads, readLaterEvents, toLead } from './rows.ts'
import type { Lead } from './rows.ts'

/** `overtaken`: another writer changed the lead first. */
export type Moved = { kind: 'moved'; lead: Lead } | { kind: 'overtaken' }

/** `by`: `owner`, `sender`, `retention` or the id of a member. `undoes`: the number of the event that is undone. */
export type Move = { to: State; by: string; at: number; undoes?: number }

export type Moves = {
  /** Notifies the channels that `channelsFor` names. */
  moveLead(lead: Lead, move: Move, channelsFor?: ChannelsFor): Promise<Moved>
  /**
   * Removes all that the sender sent, the deliveries that carry it, and what the owner added. An
   * empty row stays, with its events.
   */
  eraseLead(lead: Lead, erasure: Pick<Move, 'by' | 'at'>): Promise<Moved>
}

export function createMoves(engine: Engine): Moves {
  return {
    moveLead(lead, { to, by, at, undoes }, channelsFor = noChannels) {
      const kind = eventOfMove(lead.state, to)
      const data = JSON.stringify({ from: lead.state, to, by, undoes })
      const event = nextEvent(lead, { at, kind, data })
      const channels = isMoveTold(lead.state, to) ? channelsFor(kind) : []
      const notices = channels.map((channel) => insertMoveNotice({ ...event, kind }, channel))
      return run([
        changeTo('state = $1, state_changed_at = $2', [to, at], lead, event),
        insertEvent(event),
        ...notices,
      ])
    },
    async eraseLead(lead, { by, at }) {
      const events = await eventsWithoutContent(lead)
      const head = events.at(-1)?.hash ?? lead.eventHead
      const data = JSON.stringify({ from: lead.state, to: 'erased', by })
      const event = nextEvent({ ...lead, eventHead: head }, { at, kind: 'lead.erased', data })
      const moved = await run([
        changeTo(`${emptied}, state_changed_at = $1, erased_at = $2`, [at, at], lead, event),
        insertEvent(event),
        ...events.slice(1).map((each) => changeHash(each, event)),
        ...forgetDeliveries(event),
        ...forgetAdditions(event),
        noteErased(at),
      ])
      engine.forgetDeleted()
      return moved
    },
  }

  /**
   * The fingerprint goes too: whoever guesses the details could check the guess by it, or by the
   * hashes that depend on it. So the events are linked anew. A chain that is broken already stays
   * broken, for `verify` to find.
   */
  async function eventsWithoutContent(lead: Lead): Promise<LeadEvent[]> {
    const later = (await readLaterEvents(engine, ofLeads([lead]))).get(lead.id) ?? []
    if (findBreak(lead, toChain(lead, later)) !== undefined) return []
    return relink(toChain({ ...lead, fingerprint: '' }, later))
  }

  async function run(batch: Statement[]): Promise<Moved> {
    const [updated] = await engine.run(batch)
    const [row] = updated as Row[]
    return row ? { kind: 'moved', lead: toLead(row) } : { kind: 'overtaken' }
  }
}

/** More than chance explains. */
const maxTries = 50
const longestWaitMs = 200

/**
 * Reads and writes again while another writer was first. Many that try again at once would overtake
 * each other again: each waits for a random time, longer after each try.
 */
export async function untilMoved<T>(look: () => Promise<T | 'overtaken'>): Promise<T> {
  for (let tries = 0; tries < maxTries; tries += 1) {
    const outcome = await look()
    if (outcome !== 'overtaken') return outcome
    await sleep(Math.random() * Math.min(2 ** tries, longestWaitMs))
  }
  throw new StorageUnavailable('contended')
}

/** `set` takes the first two values. */
function changeTo(
  set: string,
  values: [State | number, number],
  lead: Lead,
  event: LeadEvent,
): Statement {
  return [
    `update lead set ${set}, event_count = event_count + 1, event_head = $3
     where id = $4 and event_head = $5 returning ${columns}`,
    [...values, event.hash, lead.id, lead.eventHead],
  ]
}

/** The rest of the row is what the chain of events is made of. */
const emptied = [
  ...[...fieldKeys, 'unlisted', 'botcheck', 'agent', 'client', 'user_agent', 'fingerprint'].map(
    (column) => `${column} = ''`,
  ),
  `dedup_key = null, dedup_until = 0, state = 'erased'`,
].join(', ')

/** Where the lead's head is this last event. */
function changeHash({ leadId, number, hash }: LeadEvent, last: LeadEvent): Statement {
  return [
    `update event set hash = $1 where lead_id = $2 and number = $3
     and exists (select 1 from lead where lead.id = $2 and lead.event_head = $4)`,
    [hash, leadId, number, last.hash],
  ]
}

/** Where the lead's head is its last event. */
const isErased = 'exists (select 1 from lead where lead.id = $1 and lead.event_head = $2)'

/** A mail server's answer may name the person. */
function forgetDeliveries({ leadId, hash }: LeadEvent): Statement[] {
  return [
    [
      `delete from delivery_try where ${isErased}
       and delivery_id in (select delivery.id from delivery where delivery.lead_id = $1)`,
      [leadId, hash],
    ],
    [`delete from delivery where ${isErased} and lead_id = $1`, [leadId, hash]],
  ]
}

/** Notes, the hashes of email and phone, and the words in the search index. */
function forgetAdditions({ leadId, hash }: LeadEvent): Statement[] {
  return ['note', 'person_key', 'search_doc', 'search_due'].map((table) => [
    `delete from ${table} where ${isErased} and lead_id = $1`,
    [leadId, hash],
  ])
}

/** For the indexer: words of deleted documents may stay in the index until it is rebuilt. */
function noteErased(at: number): Statement {
  return [
    `insert into once (id, at, about) values ('search-erased', $1, '')
     on conflict (id) do update set at = excluded.at`,
    [at],
  ]
}
