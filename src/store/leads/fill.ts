/**
 * Fills `search_doc`, the rows that find a lead: its search text and the keys of its person. Nobody
 * waits for them while a lead is kept: `lead.filled` is the version of the lead that its row has, and
 * an index lists the leads whose version is another one, so those of a crash, of another node and of
 * a command are filled, too.
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { fieldKeys, type FieldValues } from '../../contract/fields.ts'
import {
  StorageUnavailable,
  type Dialect,
  type Engine,
  type Row,
  type Statement,
} from '../engine/engine.ts'
import { ifUnchanged } from './events.ts'
import { notesOf } from './notes.ts'
import { searchTextOf } from './search-text.ts'

/**
 * Leads that are filled in one commit. Many on SQLite: the keys of persons stand all over their
 * indexes, and leads of one commit share the pages. Fewer on PostgreSQL, where a commit has a deadline.
 */
const filledAtOnce: Record<Dialect, number> = { sqlite: 500, postgres: 100 }
/** Requests are answered after so many texts. */
const textsInTurn = 50

/** The lowest `filled` of leads that this version kept. Lower is what a migration left for later. */
const ownLeads = 0
const allLeads = -1

export class SearchFill {
  readonly #engine: Engine
  readonly #atOnce: number

  constructor(engine: Engine) {
    this.#engine = engine
    this.#atOnce = filledAtOnce[engine.dialect]
  }

  /**
   * Called before `search_doc` is read, so that a lead is found from the moment it is kept. Where
   * nothing can be written, for example on a full disk, what was filled before is still found.
   */
  async catchUp(): Promise<void> {
    try {
      while ((await this.#fill(ownLeads)) === this.#atOnce);
    } catch (error) {
      if (!(error instanceof StorageUnavailable)) throw error
    }
  }

  /** Fills the next leads, those of an older version last, and returns their number. */
  next(): Promise<number> {
    return this.#fill(allLeads)
  }

  async #fill(lowest: number): Promise<number> {
    const rows = await this.#engine.read(readUnfilled, [lowest, this.#atOnce])
    if (rows.length === 0) return 0
    const notesOfLead = await this.#notesOf(rows)
    const statements: Statement[] = []
    for (const [index, row] of rows.entries()) {
      if (index % textsInTurn === textsInTurn - 1) await nextTurn()
      statements.push(...fillOne(row, notesOfLead.get(String(row['id'])) ?? []))
    }
    await this.#engine.run(statements)
    return rows.length
  }

  /** A note comes with an event, so the first version of a lead has none. */
  async #notesOf(rows: readonly Row[]): Promise<Map<string, string[]>> {
    const changed = rows.filter(({ version }) => version !== 1)
    const words = new Map<string, string[]>()
    if (changed.length === 0) return words
    const leads = changed.map(({ id }) => ({ id: String(id) }))
    for (const note of await notesOf(this.#engine, leads)) {
      words.set(note.leadId, [...(words.get(note.leadId) ?? []), note.words])
    }
    return words
  }
}

/** Only what the fill needs: a whole `Lead` takes longer to make than its text. */
const readUnfilled = `select id, version, state, reference, unlisted, visit_place, added_phone,
    added_street, email_key, phone_key, ${fieldKeys.join(', ')} from lead
  where filled <> version and filled >= $1 order by filled desc, id desc limit $2`

/**
 * Applies only to the version that was read. On PostgreSQL the update comes first, because it locks
 * the lead: an erasure then deletes what is inserted here, or nothing is inserted.
 */
function fillOne(row: Row, notes: readonly string[]): Statement[] {
  const [isUnchanged, which] = ifUnchanged({
    id: String(row['id']),
    version: Number(row['version']),
  })
  const mark: Statement = ['update lead set filled = version where id = $1 and version = $2', which]
  // A node of the version before erased the lead, and knew nothing of a fill at the same moment.
  if (row['state'] === 'erased') {
    return [mark, ['delete from search_doc where lead_id = $1', [which[0]!]]]
  }
  return [
    mark,
    [
      `insert into search_doc (lead_id, words, email_key, phone_key) select $1, $3, $4, $5
       where ${isUnchanged} on conflict (lead_id) do update
       set words = excluded.words, email_key = excluded.email_key, phone_key = excluded.phone_key`,
      [...which, textOf(row, notes), row['email_key']!, row['phone_key']!],
    ],
  ]
}

function textOf(row: Row, notes: readonly string[]): string {
  const text = (column: string) => String(row[column] ?? '')
  const lead = {
    reference: text('reference'),
    unlisted: text('unlisted'),
    visitPlace: text('visit_place'),
    secondPhone: text('added_phone'),
    street: text('added_street'),
    values: Object.fromEntries(fieldKeys.map((key) => [key, text(key)])) as FieldValues,
  }
  return searchTextOf(lead, notes)
}
