/** An act that would overwrite what somebody changed since the page was shown is refused (`overtaken`). */
import type { Telling } from '../contract/notices.ts'
import { movesFrom, openStates, type Next, type State } from '../contract/states.ts'
import { eraseLead, undoableMove } from '../lead/move.ts'
import { keysToTrust } from '../lead/person-keys.ts'
import type { LeadEvent, Moved } from '../store/leads/events.ts'
import { untilMoved, type Move, type Plan, type PlannedDate } from '../store/leads/changes.ts'
import { nextOf, type Lead } from '../store/leads/rows.ts'
import type { Store } from '../store/store.ts'

export type Act = {
  leadId: string
  /** The version that the page showed. With `undefined`, no change of the lead is noticed. */
  version: number | undefined
  by: string
  at: number
}

export type MovingAct = Act & { tell: Telling }

/** The outcome is `done` also if somebody else has just made the same move. */
export type ActOutcome =
  | { kind: 'done' | 'overtaken' | 'illegal'; lead: Lead }
  | { kind: 'missing' }

export function moveByMember(
  store: Store,
  act: MovingAct,
  to: State,
  date: PlannedDate = {},
): Promise<ActOutcome> {
  return moveBy(store, act, ({ state }) =>
    state === to || movesFrom[state].includes(to) ? { to, ...date } : undefined,
  )
}

export function undoByMember(store: Store, act: MovingAct): Promise<ActOutcome> {
  return moveBy(store, act, (_, events) => {
    const last = undoableMove(events)
    return last && { to: last.from, undoes: last.number, next: last.was }
  })
}

function moveBy(
  store: Store,
  { leadId, version, by, at, tell }: MovingAct,
  findMove: (
    lead: Lead,
    events: readonly LeadEvent[],
  ) => Pick<Move, 'to' | 'undoes' | keyof PlannedDate> | undefined,
): Promise<ActOutcome> {
  return untilMoved(async () => {
    const lead = await store.findLead(leadId)
    if (lead === undefined) return { kind: 'missing' }
    const [events = []] = await store.eventsOf([lead])
    const move = findMove(lead, events)
    // True if the lead is in the wanted state already. At most its date is then set.
    const isMade = move?.to === lead.state && move.undoes === undefined
    if (isMade && move.next === undefined) return { kind: 'done', lead }
    const overwrites = isMade ? replacesDate(lead, move.next) : true
    if (overwrites && hasChanged(lead, events, version)) return { kind: 'overtaken', lead }
    if (move === undefined) return { kind: 'illegal', lead }
    const change = { ...move, by, at, tell }
    const moved = await (move.to === lead.state
      ? store.planLead(lead, change)
      : store.moveLead(lead, change))
    return moved.kind === 'moved' ? { kind: 'done', lead: moved.lead } : 'overtaken'
  })
}

/** After a restore, a page may show a newer version than the lead has, which counts as a change. */
function hasChanged(lead: Lead, events: readonly LeadEvent[], version = lead.version): boolean {
  const since = events.slice(version)
  return version > lead.version || since.some(({ kind }) => kind !== 'lead.repeated')
}

function replacesDate({ nextFor, nextAt }: Lead, next: Next | undefined): boolean {
  return nextAt !== undefined && (next?.what !== nextFor || next?.at !== nextAt)
}

/** Can also remove the date of a visit that the sender called off by withdrawing. */
export function planByMember(
  store: Store,
  { leadId, version, by, at, tell }: MovingAct,
  plan: PlannedDate & Pick<Plan, 'tried'>,
): Promise<ActOutcome> {
  const mayPlan = (lead: Lead) =>
    isOpen(lead) || (plan.next === undefined && lead.nextAt !== undefined)
  return changeBy(store, leadId, mayPlan, async (lead) => {
    const next = plan.next ?? (plan.tried ? nextOf(lead) : undefined)
    if (replacesDate(lead, next)) {
      const [events = []] = await store.eventsOf([lead])
      if (hasChanged(lead, events, version)) return 'stale'
    }
    return store.planLead(lead, { by, at, tell, ...plan, next })
  })
}

/** Any member may take over a lead, but only the member who has it can give it back. */
export function takeByMember(
  store: Store,
  { leadId, by, at }: Act,
  takenBy: string | undefined,
): Promise<ActOutcome> {
  const mayTake = (lead: Lead) => isOpen(lead) && (takenBy !== undefined || lead.takenBy === by)
  return changeBy(store, leadId, mayTake, (lead) => store.setTakenBy(lead, { by, at, takenBy }))
}

export function isOpen({ state }: Lead): boolean {
  return openStates.includes(state)
}

/** `stale`: the change would overwrite somebody's work, so it is not tried again. */
function changeBy(
  store: Store,
  leadId: string,
  mayChange: (lead: Lead) => boolean,
  change: (lead: Lead) => Promise<Moved | 'stale'>,
): Promise<ActOutcome> {
  return untilMoved(async () => {
    const lead = await store.findLead(leadId)
    if (lead === undefined) return { kind: 'missing' }
    if (!mayChange(lead)) return { kind: 'illegal', lead }
    const changed = await change(lead)
    if (changed === 'stale') return { kind: 'overtaken', lead }
    return changed.kind === 'moved' ? { kind: 'done', lead: changed.lead } : 'overtaken'
  })
}

export const longestNote = 4_000

/** Ignores the version, because a note overwrites nothing. */
export function noteByMember(
  store: Store,
  { leadId, by, at }: Act,
  words: string,
): Promise<ActOutcome> {
  const isThere = ({ state }: Lead) => state !== 'erased'
  return changeBy(store, leadId, isThere, (lead) =>
    store.addNote(lead, { at, memberId: by, words }),
  )
}

const erasedAtOnce = 50

export async function erasePerson(
  store: Store,
  { leadId, by, at }: Omit<Act, 'version'>,
  alsoPhone: boolean,
): Promise<void> {
  const keys = keysToTrust(await store.personKeysOf(leadId), alsoPhone)
  for (let ids = [leadId]; ids.length > 0;) {
    for (const id of ids) await eraseLead(store, { leadId: id, by, at })
    // Always reads the first page: an erased lead has no person keys, so it is not found again.
    const next = await store.leadsOfPerson(keys, { limit: erasedAtOnce })
    ids = next.filter(({ state }) => state !== 'erased').map(({ id }) => id)
  }
}
