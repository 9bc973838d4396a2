/** Takes the owner's last move back: for a day, and while nobody else has moved the lead since. */
import type { State } from '../contract/states.ts'
import { dayMs } from '../durations.ts'
import { moveOf } from '../store/chain.ts'
import { untilMoved } from '../store/moves.ts'
import type { Lead } from '../store/rows.ts'
import type { Store } from '../store/store.ts'

export const undoMs = dayMs

/** The state that undoing brings back; `undefined`: there is nothing to undo. */
export async function undoneStateOf(
  store: Pick<Store, 'eventsOf'>,
  lead: Lead,
  nowMs: number,
): Promise<State | undefined> {
  const [events = []] = await store.eventsOf([lead])
  const moves = events
    .map((event) => ({ at: event.at, ...moveOf(event) }))
    .filter(({ to }) => to !== undefined)
  const last = moves.at(-1)
  if (last?.by !== 'owner' || lead.state !== last.to || nowMs - last.at > undoMs) return undefined
  // One tap may take several steps, all at the same time.
  return moves.find(({ at, by }) => at === last.at && by === 'owner')?.from
}

/** False: there was nothing to undo. */
export function undoMove(
  store: Pick<Store, 'findLead' | 'eventsOf' | 'moveLead'>,
  { leadId, at }: { leadId: string; at: number },
): Promise<boolean> {
  return untilMoved(async () => {
    const lead = await store.findLead(leadId)
    const to = lead && (await undoneStateOf(store, lead, at))
    if (lead === undefined || to === undefined) return false
    const moved = await store.moveLead(lead, { to, by: 'owner', at })
    return moved.kind === 'overtaken' ? 'overtaken' : true
  })
}
