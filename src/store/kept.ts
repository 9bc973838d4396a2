/** What keeping a lead results in, and the note of a repeat: shared by both ways of keeping. */
import { nextEvent } from './chain.ts'
import type { Engine } from './engine/engine.ts'
import { insertEvent } from './rows.ts'
import type { Lead, NewLead } from './rows.ts'

export type Kept =
  | { kind: 'kept' }
  /** `id` is that of the lead that was kept before. */
  | { kind: 'repeated'; id: string }
  | { kind: 'key-reused' }
  /** A repeat of a lead that was withdrawn. */
  | { kind: 'withdrawn'; id: string }

export type KeepLead = (lead: NewLead) => Promise<Kept>

/** Another lead has this id: a fault of the program, since ids are random. */
export class IdTaken extends Error {
  override name = 'IdTaken'
}

export const kept: Kept = { kind: 'kept' }

/** Whoever has the key of a lead can send it again without end. */
export const mostRepeatsNoted = 20

/** If another event is added at the same moment, this note is left out. */
export async function noteRepeat(engine: Engine, earlier: Lead, lead: NewLead): Promise<Kept> {
  const repeated: Kept = { kind: 'repeated', id: earlier.id }
  if (await areEnoughNoted(engine, earlier)) return repeated
  const event = nextEvent(earlier, {
    at: lead.receivedAt,
    kind: 'lead.repeated',
    data: JSON.stringify({ door: lead.door }),
  })
  await engine.run([
    [
      'update lead set event_count = event_count + 1, event_head = $1 where id = $2 and event_head = $3',
      [event.hash, earlier.id, earlier.eventHead],
    ],
    insertEvent(event),
  ])
  return repeated
}

async function areEnoughNoted(engine: Engine, { id, eventCount }: Lead): Promise<boolean> {
  // The first event is no repeat.
  if (eventCount <= mostRepeatsNoted) return false
  const noted = await engine.read(
    `select number from event where lead_id = $1 and kind = 'lead.repeated' order by number limit $2`,
    [id, mostRepeatsNoted],
  )
  return noted.length === mostRepeatsNoted
}
