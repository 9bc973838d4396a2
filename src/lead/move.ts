import type { Telling } from '../contract/notices.ts'
import { maySenderWithdraw, type Next, type State } from '../contract/states.ts'
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

/** Returns the withdrawn lead; `undefined` if there is no such lead, or it can no longer be withdrawn. */
export function withdrawLead(
  store: Store,
  { leadId, at, tell }: { leadId: string; at: number; tell: Telling },
): Promise<Lead | undefined> {
  return untilMoved(async () => {
    const lead = await store.findLead(leadId)
    if (lead?.state === 'withdrawn') return lead
    if (lead === undefined || !maySenderWithdraw(lead.state)) return undefined
    // A visit that is still ahead stays with the lead, so that the inbox can show it as called off.
    const next = visitAhead(lead, at)
    const moved = await store.moveLead(lead, { to: 'withdrawn', by: 'sender', at, tell, next })
    return moved.kind === 'overtaken' ? 'overtaken' : moved.lead
  })
}

function visitAhead(lead: Lead, at: number): Next | undefined {
  const next = nextOf(lead)
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

/** Undoing restores the state `from` and the date `was`. */
export type UndoableMove = { from: State; number: number; was: Next | undefined }

export function undoableMove(events: readonly LeadEvent[]): UndoableMove | undefined {
  const last = events.findLast((event) => moveOf(event).from !== undefined)
  if (last === undefined || finalKinds.has(last.kind)) return undefined
  const { from, undoes, was } = moveOf(last)
  return from === undefined || undoes !== undefined ? undefined : { from, number: last.number, was }
}

const finalKinds = new Set<string>(['lead.withdrawn', 'lead.erased'])
