/** What keeping a lead results in, and the note of a repeat: shared by both ways of keeping. */
import type { Engine } from './engine/engine.ts'
import { changeLead } from './events.ts'
import type { Lead, NewLead } from './rows.ts'

export type Kept =
  /** `reference`: another than the lead's own if that was taken. */
  | { kind: 'kept'; reference: string }
  /** `id` and `reference` are those of the lead that was kept before. */
  | { kind: 'repeated'; id: string; reference: string }
  | { kind: 'key-reused' }
  /** A repeat of a lead that was withdrawn. */
  | { kind: 'withdrawn'; id: string }

export type KeepLead = (lead: NewLead) => Promise<Kept>

/** Another lead has this id: a fault of the program, since ids are random. */
export class IdTaken extends Error {
  override name = 'IdTaken'
}

/** Whoever has the key of a lead can send it again without end. */
export const mostRepeatsNoted = 20

/** If another event is added at the same moment, this note is left out. */
export async function noteRepeat(engine: Engine, earlier: Lead, lead: NewLead): Promise<Kept> {
  const { id, reference } = earlier
  const repeated: Kept = { kind: 'repeated', id, reference }
  if (await areEnoughNoted(engine, earlier)) return repeated
  const data = JSON.stringify({ door: lead.door })
  await changeLead(engine, earlier, { event: { at: lead.receivedAt, kind: 'lead.repeated', data } })
  return repeated
}

async function areEnoughNoted(engine: Engine, { id, version }: Lead): Promise<boolean> {
  // The first event is no repeat.
  if (version <= mostRepeatsNoted) return false
  const noted = await engine.read(
    `select number from event where lead_id = $1 and kind = 'lead.repeated' order by number limit $2`,
    [id, mostRepeatsNoted],
  )
  return noted.length === mostRepeatsNoted
}
