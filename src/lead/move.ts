/** Moves a lead from state to state, by the rules of the contract, and erases it. */
import { movesFrom } from '../contract/states.ts'
import type { Mover, State } from '../contract/states.ts'
import { StorageUnavailable } from '../store/engine.ts'
import type { Lead } from '../store/rows.ts'
import type { Store } from '../store/store.ts'

export type MoveOutcome =
  | { kind: 'moved'; lead: Lead; from: State }
  | { kind: 'illegal'; from: State; allowed: readonly State[] }
  | { kind: 'missing' }

export async function moveLead(
  store: Pick<Store, 'findLeads' | 'moveLead'>,
  move: { leadId: string; to: State; by: Mover; at: number },
): Promise<MoveOutcome> {
  for (let tries = 0; tries < mostTries; tries += 1) {
    const [lead] = await store.findLeads(move.leadId)
    if (lead === undefined) return { kind: 'missing' }
    const allowed = movesFrom(lead.state, move.by)
    if (!allowed.includes(move.to)) return { kind: 'illegal', from: lead.state, allowed }
    const moved = await store.moveLead(lead, move.to, move.by, move.at)
    // Overtaken by another writer: look again.
    if (moved.kind === 'moved') return { kind: 'moved', lead: moved.lead, from: lead.state }
  }
  throw new StorageUnavailable('contended')
}

/** Nobody is overtaken that often by chance. */
const mostTries = 50

export type EraseOutcome =
  | { kind: 'erased'; from: State }
  | { kind: 'erased-before' }
  | { kind: 'missing' }

/** From any state: whoever asks to be forgotten need not wait for the end of the road. */
export async function eraseLead(
  store: Pick<Store, 'findLeads' | 'eraseLead'>,
  { leadId, at }: { leadId: string; at: number },
): Promise<EraseOutcome> {
  for (let tries = 0; tries < mostTries; tries += 1) {
    const [lead] = await store.findLeads(leadId)
    if (lead === undefined) return { kind: 'missing' }
    if (lead.state === 'erased') return { kind: 'erased-before' }
    const moved = await store.eraseLead(lead, at)
    if (moved.kind === 'moved') return { kind: 'erased', from: lead.state }
  }
  throw new StorageUnavailable('contended')
}
