/** Erases leads. */
import { fieldKeys } from '../contract/fields.ts'
import type { Engine, Statement } from './engine/engine.ts'
import { changeLead, isUnchanged, type Change, type Moved } from './events.ts'
import type { Move } from './moves.ts'
import type { Lead } from './rows.ts'
import { markErased } from './search.ts'

export type Erasure = Pick<Move, 'by' | 'at'>

export type Erasing = {
  /**
   * Removes all that the sender sent, the deliveries that carry it, and what the owner added. An
   * empty row stays, with its events.
   */
  eraseLead(lead: Lead, erasure: Erasure): Promise<Moved>
}

export function createErasing(engine: Engine): Erasing {
  return {
    async eraseLead(lead, erasure) {
      const moved = await changeLead(engine, lead, toErased(lead, erasure))
      engine.forgetDeleted()
      return moved
    },
  }
}

function toErased(lead: Lead, { by, at }: Erasure): Change {
  const which = [lead.id, lead.version]
  return {
    event: {
      at,
      kind: 'lead.erased',
      data: JSON.stringify({ from: lead.state, to: 'erased', by }),
    },
    set: { ...emptied, state: 'erased', state_changed_at: at, erased_at: at },
    also: [
      // A mail server's answer may name the person.
      [
        `delete from delivery_try where ${isUnchanged}
         and delivery_id in (select delivery.id from delivery where delivery.lead_id = $1)`,
        which,
      ],
      ...['dedup', 'delivery', 'note', 'person_key', 'search_doc'].map((table): Statement => [
        `delete from ${table} where ${isUnchanged} and lead_id = $1`,
        which,
      ]),
      markErased(at),
    ],
  }
}

/** A fingerprint that stayed would confirm a guess of what was sent. */
const emptied = Object.fromEntries(
  [...fieldKeys, 'unlisted', 'botcheck', 'agent', 'client', 'user_agent', 'fingerprint'].map(
    (column) => [column, ''],
  ),
)
