/** What becomes of a lead: it moves from state to state, and in the end it may be erased. */
import { noChannels } from '../contract/notices.ts'
import type { ChannelsFor } from '../contract/notices.ts'
import { eventOfMove } from '../contract/states.ts'
import type { Mover, State } from '../contract/states.ts'
import { nextEvent } from './chain.ts'
import type { LeadEvent } from './chain.ts'
import { insertMoveNotice } from './delivery-rows.ts'
import { StorageUnavailable } from './engine.ts'
import type { Engine, Row, Statement } from './engine.ts'
import { columns, insertEvent, toLead } from './rows.ts'
import type { Lead } from './rows.ts'

/** Only if it is still as given; another writer may have been quicker. */
export type Moved = { kind: 'moved'; lead: Lead } | { kind: 'overtaken' }

export type Moves = {
  /** The channels that `channelsFor` names are told of it. */
  moveLead(lead: Lead, to: State, by: Mover, at: number, channelsFor?: ChannelsFor): Promise<Moved>
  /**
   * Takes out all that the sender told, and word of it that waits to be sent. What stays is an empty
   * row, with what happened to it and when.
   */
  eraseLead(lead: Lead, at: number): Promise<Moved>
}

export function createMoves(engine: Engine): Moves {
  return {
    moveLead(lead, to, by, at, channelsFor = noChannels) {
      const kind = eventOfMove(lead.state, to)
      const event = nextEvent(lead, { at, kind, data: dataOf(lead.state, to, by) })
      const notices = channelsFor(kind).map((channel) =>
        insertMoveNotice({ ...event, kind }, channel),
      )
      return run([
        changeTo('state = $1, state_changed_at = $2', [to, at], lead, event),
        insertEvent(event),
        ...notices,
      ])
    },
    eraseLead(lead, at) {
      const data = dataOf(lead.state, 'erased', 'owner')
      const event = nextEvent(lead, { at, kind: 'lead.erased', data })
      return run([
        changeTo(`${emptied}, state_changed_at = $1, erased_at = $2`, [at, at], lead, event),
        insertEvent(event),
        ...forgetDeliveries(event),
      ])
    },
  }

  async function run(batch: Statement[]): Promise<Moved> {
    const [updated] = await engine.run(batch)
    const [row] = updated as Row[]
    return row ? { kind: 'moved', lead: toLead(row) } : { kind: 'overtaken' }
  }
}

/** Nobody is overtaken that often by chance. */
const mostTries = 50

/** Looks and moves again as long as another writer was quicker. */
export async function untilMoved<T>(look: () => Promise<T | 'overtaken'>): Promise<T> {
  for (let tries = 0; tries < mostTries; tries += 1) {
    const outcome = await look()
    if (outcome !== 'overtaken') return outcome
  }
  throw new StorageUnavailable('contended')
}

function dataOf(from: State, to: State, by: Mover): string {
  return JSON.stringify({ from, to, by })
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

/** The rest of the row, and the hash of what was told, are what the chain of its events hangs on. */
const emptied = `
  name = '', email = '', phone = '', postcode = '', message = '', unlisted = '', botcheck = '',
  agent = '', client = '', user_agent = '', dedup_key = null, dedup_until = 0, state = 'erased'`

/** What a mail server answered may name the person. */
function forgetDeliveries({ leadId, hash }: LeadEvent): Statement[] {
  const isErased = 'exists (select 1 from lead where lead.id = $1 and lead.event_head = $2)'
  return [
    [
      `delete from delivery_try where ${isErased}
       and delivery_id in (select delivery.id from delivery where delivery.lead_id = $1)`,
      [leadId, hash],
    ],
    [`delete from delivery where ${isErased} and lead_id = $1`, [leadId, hash]],
  ]
}
