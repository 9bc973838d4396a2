/** What the owner writes about a lead: a note, and the event that says so. */
import type { Engine } from './engine/engine.ts'
import { changeLead, isUnchanged, type Moved } from './events.ts'
import { ofLeads, type Lead } from './rows.ts'

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
    addNote(lead, { at, memberId, words }) {
      const { id, version } = lead
      return changeLead(engine, lead, {
        event: { at, kind: 'lead.noted', data: JSON.stringify({ by: memberId }) },
        also: [
          [
            `insert into note (lead_id, number, at, member_id, words)
             select $1, cast($2 as bigint), cast($3 as bigint), $4, $5 where ${isUnchanged}`,
            [id, version, at, memberId, words],
          ],
          [
            `insert into search_due (lead_id) select $1 where ${isUnchanged} on conflict do nothing`,
            [id, version],
          ],
        ],
      })
    },

    async notesOf(leads) {
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
    },
  }
}
