/** What the owner writes about a lead: a note, and the event that says so. */
import { randomBytes } from 'node:crypto'
import { digest, nextEvent } from './chain.ts'
import type { LeadEvent } from './chain.ts'
import type { Engine, Row } from './engine/engine.ts'
import { columns, insertEvent, ofLeads, toLead } from './rows.ts'
import type { Lead, OfLeads } from './rows.ts'
import type { Moved } from './moves.ts'
import { wordsOf } from './search-words.ts'

export type Note = {
  leadId: string
  /** That of its event. */
  number: number
  at: number
  memberId: string
  words: string
  /** Of words and salt, as in its event. */
  hash: string
}

export type Notes = {
  addNote(lead: Lead, note: Pick<Note, 'at' | 'memberId' | 'words'>): Promise<Moved>
  /** Oldest first, of each lead. */
  notesOf(leads: readonly Pick<Lead, 'id'>[]): Promise<Note[]>
}

export function createNotes(engine: Engine): Notes {
  return {
    async addNote(lead, { at, memberId, words }) {
      const salt = randomBytes(16).toString('base64url')
      const data = toData(memberId, hashOf(salt, words))
      const event = nextEvent(lead, { at, kind: 'lead.noted', data })
      const earlier = (await readNotes(engine, ofLeads([lead]))).map((note) => note.words)
      const isAdded = 'exists (select 1 from lead where lead.id = $1 and lead.event_head = $2)'
      const [updated] = await engine.run([
        [
          `update lead set event_count = event_count + 1, event_head = $1
           where id = $2 and event_head = $3 and state <> 'erased' returning ${columns}`,
          [event.hash, lead.id, lead.eventHead],
        ],
        insertEvent(event),
        [
          `insert into note (lead_id, number, at, member_id, salt, words)
           select $1, cast($3 as bigint), cast($4 as bigint), $5, $6, $7 where ${isAdded}`,
          [lead.id, event.hash, event.number, at, memberId, salt, words],
        ],
        [
          `update search_doc set words = $3 where lead_id = $1 and ${isAdded}`,
          [lead.id, event.hash, wordsOf(lead, [...earlier, words]).join(' ')],
        ],
      ])
      const [row] = updated as Row[]
      return row ? { kind: 'moved', lead: toLead(row) } : { kind: 'overtaken' }
    },

    notesOf: async (leads) => (leads.length === 0 ? [] : readNotes(engine, ofLeads(leads))),
  }
}

/** Oldest first, of each lead. */
export async function readNotes(
  engine: Pick<Engine, 'read'>,
  [where, ids]: OfLeads,
): Promise<Note[]> {
  const rows = await engine.read(
    `select lead_id, number, at, member_id, salt, words from note
     where ${where} order by lead_id, number`,
    ids,
  )
  return rows.map((row) => ({
    leadId: String(row['lead_id']),
    number: Number(row['number']),
    at: Number(row['at']),
    memberId: String(row['member_id']),
    words: String(row['words']),
    hash: hashOf(String(row['salt']), String(row['words'])),
  }))
}

/** Each note must be as its event says, and none may be missing or added. */
export function findNoteBreak(
  events: readonly LeadEvent[],
  notes: readonly Note[],
): string | undefined {
  const noted = events.filter(({ kind }) => kind === 'lead.noted')
  if (noted.length !== notes.length) return 'a note is missing, or was added'
  const isIntact = noted.every(({ number, data }, index) => {
    const note = notes[index]!
    return note.number === number && data === toData(note.memberId, note.hash)
  })
  return isIntact ? undefined : 'a note was changed'
}

function toData(memberId: string, hash: string): string {
  return JSON.stringify({ by: memberId, note: hash })
}

function hashOf(salt: string, words: string): string {
  return digest(`${salt}\0${words}`)
}
