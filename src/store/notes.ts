/** What members leave behind: notes on leads, each with its event, and a record of their exports. */
import { randomUUID } from 'node:crypto'
import { fromRow, type Engine } from './engine/engine.ts'
import { changeLead, isUnchanged, type Moved } from './events.ts'
import { ofLeads, type Lead } from './rows.ts'
import { wordsOf } from './search-words.ts'

export type Note = {
  leadId: string
  /** Number of its event. */
  number: number
  at: number
  memberId: string
  words: string
}

export type Export = {
  at: number
  memberId: string
  /** JSON without personal data. */
  what: string
}

export type Notes = ReturnType<typeof createNotes>

export function createNotes(engine: Engine) {
  return {
    async addNote(lead: Lead, note: Pick<Note, 'at' | 'memberId' | 'words'>): Promise<Moved> {
      const { id, version } = lead
      const { at, memberId, words } = note
      const earlier = (await notesOf([lead])).map((each) => each.words)
      return changeLead(engine, lead, {
        event: { at, kind: 'lead.noted', data: JSON.stringify({ by: memberId }) },
        also: [
          [
            `insert into note (lead_id, number, at, member_id, words)
             select $1, cast($2 as bigint), cast($3 as bigint), $4, $5 where ${isUnchanged}`,
            [id, version, at, memberId, words],
          ],
          [
            `update search_doc set words = $3 where lead_id = $1 and ${isUnchanged}`,
            [id, version, wordsOf(lead, [...earlier, words]).join(' ')],
          ],
        ],
      })
    },

    notesOf,

    async noteExport({ at, memberId, what }: Export): Promise<void> {
      const sql = 'insert into exported (id, at, member_id, what) values ($1, $2, $3, $4)'
      await engine.run([[sql, [randomUUID(), at, memberId, what]]])
    },

    /** Oldest first. */
    async listExports(limit: number): Promise<Export[]> {
      const sql = 'select at, member_id, what from exported order by at, id limit $1'
      return (await engine.read(sql, [limit])).map(fromRow<Export>)
    },
  }

  /** Oldest first, of each lead. */
  async function notesOf(leads: readonly Pick<Lead, 'id'>[]): Promise<Note[]> {
    if (leads.length === 0) return []
    const [where, ids] = ofLeads(leads)
    const sql = `select lead_id, number, at, member_id, words from note
      where ${where} order by lead_id, number`
    return (await engine.read(sql, ids)).map(fromRow<Note>)
  }
}
