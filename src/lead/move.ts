/** Moves a lead from state to state, by the rules of the contract, and erases it. */
import type { Telling } from '../contract/notices.ts'
import { movesFrom, type Mover, type State } from '../contract/states.ts'
import { untilMoved } from '../store/moves.ts'
import type { Lead } from '../store/rows.ts'
import type { Store } from '../store/store.ts'

export type MoveOutcome =
  | { kind: 'moved'; lead: Lead; from: State }
  | { kind: 'illegal'; from: State; allowed: readonly State[] }
  | { kind: 'missing' }

export function moveLead(
  store: Pick<Store, 'findLead' | 'moveLead'>,
  move: { leadId: string; to: State; by: Mover; at: number; tell: Telling },
): Promise<MoveOutcome> {
  return untilMoved(async () => {
    const lead = await store.findLead(move.leadId)
    if (lead === undefined) return { kind: 'missing' }
    const allowed = movesFrom(lead.state, move.by)
    if (!allowed.includes(move.to)) return { kind: 'illegal', from: lead.state, allowed }
    const moved = await store.moveLead(lead, move)
    if (moved.kind === 'overtaken') return 'overtaken'
    return { kind: 'moved', lead: moved.lead, from: lead.state }
  })
}

export type EraseOutcome = { kind: 'erased'; from: State } | { kind: 'missing' }

/** From any state; idempotent. */
export function eraseLead(
  store: Pick<Store, 'findLead' | 'eraseLead'>,
  erasure: { leadId: string; by?: string; at: number },
): Promise<EraseOutcome> {
  const { leadId, by = 'owner', at } = erasure
  return untilMoved(async () => {
    const lead = await store.findLead(leadId)
    if (lead === undefined) return { kind: 'missing' }
    const done =
      lead.state === 'erased' || (await store.eraseLead(lead, { by, at })).kind === 'moved'
    return done ? { kind: 'erased', from: lead.state } : 'overtaken'
  })
}
