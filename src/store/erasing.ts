/** Erases leads. */
import { fieldKeys } from '../contract/fields.ts'
import type { Dialect, Engine, Statement } from './engine/engine.ts'
import { changeBatch, isUnchanged, toMoved, type Moved } from './events.ts'
import type { Move } from './moves.ts'
import type { Lead } from './rows.ts'

export type Erasure = Pick<Move, 'by' | 'at'>
/** One of many. */
export type ErasureOf = Erasure & { lead: Lead }

export type Erasing = {
  /**
   * Removes all that the sender sent, the deliveries that carry it, and what the owner added. An
   * empty row stays, with its events.
   */
  eraseLead(lead: Lead, erasure: Erasure): Promise<Moved>
  /**
   * Many in one commit. No search finds them any more, but their words stay in the file of a SQLite
   * database until `reindexWords`: to overwrite those of one in a million leads takes 200 ms.
   */
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
      const { before, after } = markingWords[engine.dialect]
      const results = await engine.run([...before, ...batches.flat(), ...after])
      engine.forgetDeleted()
      let end = before.length
      return batches.map(({ length }) => toMoved(results.slice(0, (end += length))))
    },
  }
}

/** FTS5 overwrites the words of a document only in a table that is set to; see the migration. */
const markingWords: Record<Dialect, { before: Statement[]; after: Statement[] }> = {
  sqlite: {
    before: [[`insert into search_words (search_words, rank) values ('secure-delete', 0)`, []]],
    after: [
      // Otherwise the deletions are written at the commit, by the setting of that time.
      [`insert into search_words (search_words) values ('flush')`, []],
      [`insert into search_words (search_words, rank) values ('secure-delete', 1)`, []],
    ],
  },
  postgres: { before: [], after: [] },
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
      ...['dedup', 'delivery', 'note', 'person_key', 'search_doc', 'search_due'].map(
        (table): Statement => [`delete from ${table} where ${isUnchanged} and lead_id = $1`, which],
      ),
      noteErased(at),
    ],
  })
}

/** A fingerprint that stayed would confirm a guess of what was sent. */
const emptied = Object.fromEntries(
  [...fieldKeys, 'unlisted', 'botcheck', 'agent', 'client', 'user_agent', 'fingerprint'].map(
    (column) => [column, ''],
  ),
)

/** For the indexer: words of deleted documents may stay in the index until it is rebuilt. */
function noteErased(at: number): Statement {
  return [
    `insert into once (id, at, about) values ('search-erased', $1, '')
     on conflict (id) do update set at = excluded.at`,
    [at],
  ]
}
