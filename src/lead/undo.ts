/** Takes the last move of a lead back. */
import type { State } from '../contract/states.ts'
import { moveOf, type LeadEvent, type Moved } from '../store/events.ts'
import type { Move } from '../store/moves.ts'
import type { Lead } from '../store/rows.ts'
import type { Store } from '../store/store.ts'

/** `from`: the state that undoing restores. `number`: that of the move's event. */
export type UndoableMove = { from: State; number: number }

/** The last move, unless it is final, a sender's, or an undo itself. */
export function undoableMove(events: readonly LeadEvent[]): UndoableMove | undefined {
  const last = events.findLast((event) => moveOf(event).from !== undefined)
  if (last === undefined || finalKinds.has(last.kind)) return undefined
  const { from, undoes } = moveOf(last)
  return from === undefined || undoes !== undefined ? undefined : { from, number: last.number }
}

const finalKinds = new Set<string>(['lead.withdrawn', 'lead.erased'])

/** `held` is restored too. What was announced stays announced. */
export function undoMove(
  store: Pick<Store, 'moveLead'>,
  lead: Lead,
  { from, number }: UndoableMove,
  { by, at, tell }: Pick<Move, 'by' | 'at' | 'tell'>,
): Promise<Moved> {
  return store.moveLead(lead, { to: from, by, at, undoes: number, tell })
}
