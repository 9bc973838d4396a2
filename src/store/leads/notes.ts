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
