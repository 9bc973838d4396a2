/** Whether a database holds what the doors have acknowledged. */
import type { Lead } from '../../src/store/leads/rows.ts'
import { noteOf, type Sent } from './door-load.ts'

export type Found = { lost: number; twice: number; altered: number }

/** `notes`: the id of the lead, and the words. */
export function compareActs(sent: Sent[], leads: Lead[], notes: string[]): Found {
  const found = { lost: 0, twice: 0, altered: 0 }
  const byEmail = Map.groupBy(leads, ({ values }) => values.email)
  const byId = new Map(leads.map((lead) => [lead.id, lead]))
  for (const person of sent) {
    const { door, wasTried, wasDone } = person
    const own = byEmail.get(person.email) ?? []
    const isErased = door === 'erase' && byId.get(person.id)?.state === 'erased'
    if (own.length > 1) found.twice += 1
    if (own.some((lead) => isAltered(person, lead))) found.altered += 1
    if (person.wasReceived && own.length === 0 && !isErased) found.lost += 1
    // What nobody tried to erase is still there.
    if (isErased && !wasTried) found.lost += 1
    if (!wasDone) continue
    const state = byId.get(person.id)?.state ?? own[0]?.state
    if (door === 'withdraw' && state !== 'withdrawn') found.lost += 1
    if (door === 'move' && state !== 'contacted') found.lost += 1
    if (door === 'erase' && (state !== 'erased' || own.length > 0)) found.lost += 1
    const noted = notes.filter((each) => each === `${person.id} ${noteOf(person)}`)
    if (door === 'note' && noted.length === 0) found.lost += 1
    if (noted.length > 1) found.twice += 1
  }
  return found
}

function isAltered({ email, message }: Sent, { values }: Lead): boolean {
  return values.name !== 'Robin Example' || values.email !== email || values.message !== message
}
