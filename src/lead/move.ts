import type { Telling } from '../contract/notices.ts'
import { movesFrom, type Mover, type Next, type State } from '../contract/states.ts'
import { moveOf, type LeadEvent } from '../store/leads/events.ts'
import { untilMoved } from '../store/leads/changes.ts'
import { readReference } from '../store/leads/reference.ts'
import { nextOf, type Lead } from '../store/leads/rows.ts'
import type { Store } from '../store/store.ts'

export function findNamed(store: Store, idOrReference: string): Promise<Lead | undefined> {
  const reference = readReference(idOrReference)
  if (reference !== undefined) return store.findByReference(reference)
  return store.findLead(idOrReference.trim().toLowerCase())
}

export type MoveOutcome =
  | { kind: 'moved'; lead: Lead; from: State }
  | { kind: 'illegal'; from: State; allowed: readonly State[] }
  | { kind: 'missing' }

export function moveLead(
  store: Store,
  move: { leadId: string; to: State; by: Mover; at: number; tell: Telling },
): Promise<MoveOutcome> {
  return untilMoved(async () => {
    const lead = await store.findLead(move.leadId)
    if (lead === undefined) return { kind: 'missing' }
    const allowed = movesFrom(lead.state, move.by)
    if (!allowed.includes(move.to)) return { kind: 'illegal', from: lead.state, allowed }
    const moved = await store.moveLead(lead, { ...move, next: calledOff(lead, move) })
    if (moved.kind === 'overtaken') return 'overtaken'
    return { kind: 'moved', lead: moved.lead, from: lead.state }
  })
}

/** A lead keeps the visit that a withdrawal calls off, until the owner has seen that it is called off. */
function calledOff(lead: Lead, { to, at }: { to: State; at: number }): Next | undefined {
  const next = to === 'withdrawn' ? nextOf(lead) : undefined
  return next?.what === 'visit' && next.at > at ? next : undefined
}

export type EraseOutcome = { kind: 'erased'; from: State } | { kind: 'missing' }

export function eraseLead(
  store: Store,
  erasure: { leadId: string; by?: string; at: number; tell?: Telling },
): Promise<EraseOutcome> {
  const { leadId, by = 'owner', at, tell } = erasure
  return untilMoved(async () => {
    const lead = await store.findLead(leadId)
    if (lead === undefined) return { kind: 'missing' }
    const done =
      lead.state === 'erased' || (await store.eraseLead(lead, { by, at, tell })).kind === 'moved'
    return done ? { kind: 'erased', from: lead.state } : 'overtaken'
  })
}

/** Undoing restores the state `from` and the date `was`. For a change of the date, `from` is the present state. */
export type UndoableMove = { from: State; number: number; was: Next | undefined }

export function undoableMove(events: readonly LeadEvent[]): UndoableMove | undefined {
  const last = events.findLast((event) => moveOf(event).from !== undefined)
  if (last === undefined || finalKinds.has(last.kind)) return undefined
  const { from, undoes, was } = moveOf(last)
  return from === undefined || undoes !== undefined ? undefined : { from, number: last.number, was }
}

const finalKinds = new Set<string>(['lead.withdrawn', 'lead.erased'])
