/** What the owner wrote about leads. A note has the number of its event. */
import { fromRow, toParameters, type Engine } from '../engine/engine.ts'
import { type Lead } from './rows.ts'

export type Note = {
  leadId: string
  number: number
  at: number
  memberId: string
  words: string
}

/** What the customer wrote last, when asking for another time; '' if nothing. */
export function lastWordsOfSender(notes: readonly Note[]): string {
  return notes.findLast(({ memberId }) => memberId === 'sender')?.words ?? ''
}

export async function notesOf(
  engine: Pick<Engine, 'read'>,
  leads: readonly Pick<Lead, 'id'>[],
): Promise<Note[]> {
  const sql = `select * from note where lead_id in (${toParameters(leads.length)})
    order by lead_id, number`
  const ids = leads.map(({ id }) => id)
  return (await engine.read(sql, ids)).map(fromRow<Note>)
}

/** For each lead: its notes and those of the requests that are joined with it, the oldest first. */
export async function notesWithJoined(
  engine: Pick<Engine, 'read'>,
  leads: readonly Pick<Lead, 'id'>[],
): Promise<Map<string, Note[]>> {
  if (leads.length === 0) return new Map()
  const places = toParameters(leads.length)
  const sql = `select note.*, note.lead_id as of_lead from note where lead_id in (${places})
    union all
    select note.*, lead.joined_to as of_lead from note join lead on lead.id = note.lead_id
    where lead.joined_to in (${places}) and lead.joined_to <> ''
    order by at, number`
  const rows = await engine.read(
    sql,
    leads.map(({ id }) => id),
  )
  const notes = rows.map(({ of_lead: of, ...row }) => ({
    of: String(of),
    note: fromRow<Note>(row),
  }))
  const byLead = Map.groupBy(notes, ({ of }) => of)
  return new Map([...byLead].map(([id, own]) => [id, own.map(({ note }) => note)]))
}
