/** What the owner writes about a lead: a note, and the event that says so. */
import type { Engine } from './engine/engine.ts'
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

export type Notes = {
  addNote(lead: Lead, note: Pick<Note, 'at' | 'memberId' | 'words'>): Promise<Moved>
  /** Oldest first, of each lead. */
  notesOf(leads: readonly Pick<Lead, 'id'>[]): Promise<Note[]>
}

export function createNotes(engine: Engine): Notes {
  return {
    async addNote(lead, { at, memberId, words }) {
      const { id, version } = lead
      const earlier = (await readNotes(engine, [lead])).map((note) => note.words)
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

    notesOf: (leads) => readNotes(engine, leads),
  }
}

/** Oldest first, of each lead. */
async function readNotes(engine: Engine, leads: readonly Pick<Lead, 'id'>[]): Promise<Note[]> {
  if (leads.length === 0) return []
  const [where, ids] = ofLeads(leads)
  const rows = await engine.read(
    `select lead_id, number, at, member_id, words from note
     where ${where} order by lead_id, number`,
    ids,
  )
  return rows.map((row) => ({
    leadId: String(row['lead_id']),
    number: Number(row['number']),
    at: Number(row['at']),
    memberId: String(row['member_id']),
    words: String(row['words']),
  }))
}
