/**
 * Takes the last move of a lead back. One tap may take several steps at the same moment: those are
 * one move here.
 */
import type { State } from '../contract/states.ts'
import { dayMs } from '../durations.ts'
import { moveOf, type LeadEvent, type Moved } from '../store/events.ts'
import { untilMoved } from '../store/moves.ts'
import type { Lead } from '../store/rows.ts'
import type { Store } from '../store/store.ts'

/** `from`: the state that undoing restores. `number`: that of its first event. */
export type UndoableMove = { from: State; number: number; by: string; at: number }

/** The last move, unless it is final, a sender's, or an undo itself. */
export function undoableMove(events: readonly LeadEvent[]): UndoableMove | undefined {
  let undoable: UndoableMove | undefined
  for (const event of events.toReversed()) {
    const { from, by = '', undoes } = moveOf(event)
    if (from === undefined) continue
    if (undoes !== undefined || finalKinds.has(event.kind)) break
    if (undoable !== undefined && (event.at !== undoable.at || by !== undoable.by)) break
    undoable = { from, number: event.number, by, at: event.at }
  }
  return undoable
}

const finalKinds = new Set<string>(['lead.withdrawn', 'lead.erased'])

/** `held` is restored too. What was announced stays announced. */
export function undoMove(
  store: Pick<Store, 'moveLead'>,
  lead: Lead,
  { from, number }: UndoableMove,
  { by, at }: { by: string; at: number },
): Promise<Moved> {
  return store.moveLead(lead, { to: from, by, at, undoes: number })
}

/** From a link in a letter: for a day, and only what such a link, or a command, has done. */
export function tapToUndo(events: readonly LeadEvent[], nowMs: number): UndoableMove | undefined {
  const last = undoableMove(events)
  return last?.by === 'owner' && nowMs - last.at <= dayMs ? last : undefined
}

export function undoTap(
  store: Pick<Store, 'findLead' | 'eventsOf' | 'moveLead'>,
  { leadId, at }: { leadId: string; at: number },
): Promise<void> {
  return untilMoved(async () => {
    const lead = await store.findLead(leadId)
    if (lead === undefined) return
    const [events = []] = await store.eventsOf([lead])
    const last = tapToUndo(events, at)
    if (last === undefined) return
    const moved = await undoMove(store, lead, last, { by: 'owner', at })
    return moved.kind === 'overtaken' ? 'overtaken' : undefined
  })
}
