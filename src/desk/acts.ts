/** What members do with leads. What an act may do is decided in `src/lead/life.ts`. */
import type { LostReason, State } from '../contract/states.ts'
import { actOn, eraseLead, type ActOutcome } from '../lead/act.ts'
import {
  changeNote,
  explainLost,
  giveVisit,
  move,
  moveAlong,
  note,
  plan,
  take,
  undo,
  type Asking,
  type VisitDate,
} from '../lead/life.ts'
import { keysToTrust } from '../lead/person-keys.ts'
import type { Lead } from '../store/leads/rows.ts'
import type { Store } from '../store/store.ts'

export type Act = Asking & { leadId: string }

export function moveByMember(
  store: Store,
  act: Act,
  to: State,
  date: VisitDate = {},
): Promise<ActOutcome> {
  return actOn(store, act.leadId, move(to, date, act))
}

export function moveAlongByMember(
  store: Store,
  act: Act,
  to: State,
  date: VisitDate,
): Promise<ActOutcome> {
  return actOn(store, act.leadId, moveAlong(to, date, act))
}

export function giveVisitByMember(store: Store, act: Act, other: Lead): Promise<ActOutcome> {
  return actOn(store, act.leadId, giveVisit(other, act))
}

export function undoByMember(store: Store, act: Act): Promise<ActOutcome> {
  return actOn(store, act.leadId, undo(act))
}

export function planByMember(
  store: Store,
  act: Act,
  date: VisitDate & { tried?: boolean },
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

export function explainByMember(store: Store, act: Act, why: LostReason): Promise<ActOutcome> {
  return actOn(store, act.leadId, explainLost(why, act))
}

export const longestNote = 4_000

export function noteByMember(store: Store, act: Act, words: string): Promise<ActOutcome> {
  return actOn(store, act.leadId, note(words, act))
}

/** Without words, the note is removed. */
export function changeNoteByMember(
  store: Store,
  act: Act,
  { number, words }: { number: number; words: string },
): Promise<ActOutcome> {
  return actOn(store, act.leadId, changeNote(number, words, act))
}

const erasedAtOnce = 50

export async function erasePerson(
  store: Store,
  { leadId, by, at }: Omit<Act, 'version'>,
  alsoPhone: boolean,
): Promise<void> {
  const keys = keysToTrust(await store.views.personKeysOf(leadId), alsoPhone)
  for (let ids = [leadId]; ids.length > 0;) {
    for (const id of ids) await eraseLead(store, { leadId: id, by, at })
    // Always reads the first page: an erased lead has no person keys, so it is not found again.
    const next = await store.views.ofPerson(keys, { limit: erasedAtOnce })
    ids = next.filter(({ state }) => state !== 'erased').map(({ id }) => id)
  }
}
