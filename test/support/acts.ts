/** The acts of members for tests of the store. */
import type { State } from '../../src/contract/states.ts'
import { actOn, type Act, type ActOutcome } from '../../src/lead/act.ts'
import { type VisitDate } from '../../src/lead/asking.ts'
import { move, note, plan, take, undo, type Call } from '../../src/lead/life.ts'
import type { Store } from '../../src/store/store.ts'

export function moveByMember(
  store: Store,
  act: Act,
  to: State,
  date: VisitDate = {},
): Promise<ActOutcome> {
  return actOn(store, act.leadId, move(to, date, act))
}

export function undoByMember(store: Store, act: Act): Promise<ActOutcome> {
  return actOn(store, act.leadId, undo(act))
}

export function planByMember(
  store: Store,
  act: Act,
  date: VisitDate & { call?: Call },
): Promise<ActOutcome> {
  return actOn(store, act.leadId, plan(date, act))
}

export function takeByMember(
  store: Store,
  act: Act,
  takenBy: string | undefined,
): Promise<ActOutcome> {
  return actOn(store, act.leadId, take(takenBy, act))
}

export function noteByMember(store: Store, act: Act, words: string): Promise<ActOutcome> {
  return actOn(store, act.leadId, note(words, act))
}
