/** Erases leads. */
import { fieldKeys } from '../contract/fields.ts'
import type { Engine, Statement } from './engine/engine.ts'
import { changeBatch, isUnchanged, toMoved, type Moved } from './events.ts'
import type { Move } from './moves.ts'
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
      const results = await engine.run(toBatch({ lead, ...erasure }))
      engine.forgetDeleted()
      return toMoved(results)
    },

    async eraseLeads(erasures) {
      if (erasures.length === 0) return []
      const batches = erasures.map(toBatch)
      const results = await engine.run(batches.flat())
      engine.forgetDeleted()
      let end = 0
      return batches.map(({ length }) => toMoved(results.slice(0, (end += length))))
    },
  }
}

function toBatch({ lead, by, at }: ErasureOf): Statement[] {
  const which = [lead.id, lead.version]
  return changeBatch(lead, {
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
      ...['delivery', 'note', 'person_key', 'search_doc'].map((table): Statement => [
        `delete from ${table} where ${isUnchanged} and lead_id = $1`,
        which,
      ]),
      markErased(at),
    ],
  })
}

/** A fingerprint that stayed would confirm a guess of what was sent. */
const emptied = {
  ...Object.fromEntries(
    [...fieldKeys, 'unlisted', 'botcheck', 'agent', 'client', 'user_agent', 'fingerprint'].map(
      (column) => [column, ''],
    ),
  ),
  dedup_key: null,
  dedup_until: 0,
}
