/** Reads a lead, decides by `life.ts` what becomes of it, and applies that, again if it changed meanwhile. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { State } from '../contract/states.ts'
import { StorageUnavailable } from '../store/engine/engine.ts'
import { readReference } from '../store/leads/reference.ts'
import type { Lead } from '../store/leads/rows.ts'
import type { Store } from '../store/store.ts'
import { type Asking } from './asking.ts'
import { erase, firstOf, join, withdraw, type Decide } from './life.ts'

export type Act = Asking & { leadId: string }

export type ActOutcome =
  /** Also if the lead was as wanted before. */
  { kind: 'done' | 'overtaken' | 'illegal'; lead: Lead } | { kind: 'missing' }

/** Other writers never overtake a change this often by chance. */
const maxTries = 50
const longestWaitMs = 200

/** What an act needs of the store. */
export type ChangingStore = { leads: Pick<Store['leads'], 'find' | 'historyOf' | 'apply'> }

export function actOn(store: ChangingStore, leadId: string, decide: Decide): Promise<ActOutcome> {
  return untilUnchanged(() => tryOnce(store, leadId, decide))
}

async function untilUnchanged(
  attempt: () => Promise<ActOutcome | 'changed meanwhile'>,
): Promise<ActOutcome> {
  for (let tries = 0; tries < maxTries; tries += 1) {
    const outcome = await attempt()
    if (outcome !== 'changed meanwhile') return outcome
    // Random and growing, because writers that retry at once would overtake each other again.
    await sleep(Math.random() * Math.min(2 ** tries, longestWaitMs))
  }
  throw new StorageUnavailable('contended')
}

async function tryOnce(
  store: ChangingStore,
  leadId: string,
  decide: Decide,
): Promise<ActOutcome | 'changed meanwhile'> {
  const lead = await store.leads.find(leadId)
  if (lead === undefined) return { kind: 'missing' }
  const decision = decide(lead, await store.leads.historyOf(lead))
  if (decision.kind === 'already') return { kind: 'done', lead }
  if (decision.kind !== 'change') return { kind: decision.kind, lead }
  const applied = await store.leads.apply(lead, decision.change, decision.also)
  return applied === undefined ? 'changed meanwhile' : { kind: 'done', lead: applied }
}

/**
 * Joins two requests of a person. Which of them is joined with the other is decided by where both
 * are then, so the outcome has the one that was joined. `act` is on the one whose page was shown.
 */
export function joinLeads(store: ChangingStore, act: Act, otherId: string): Promise<ActOutcome> {
  return untilUnchanged(async () => {
    const [shown, other] = await Promise.all(
      [act.leadId, otherId].map((id) => store.leads.find(id)),
    )
    if (shown === undefined || other === undefined) return { kind: 'missing' }
    const first = firstOf(shown, other)
    const [second, version] = first === other ? [shown, act.version] : [other, undefined]
    return tryOnce(store, second.id, join(first, { ...act, version }))
  })
}

export function findNamed(store: Store, idOrReference: string): Promise<Lead | undefined> {
  const reference = readReference(idOrReference)
  if (reference !== undefined) return store.leads.findByReference(reference)
  return store.leads.find(idOrReference.trim().toLowerCase())
}

/** Returns the lead as it is afterwards; `undefined` if its state does not allow the act. */
export async function actAsSender(
  store: Store,
  act: 'withdraw' | 'erase',
  { leadId, at }: { leadId: string; at: number },
): Promise<Lead | undefined> {
  const decide = act === 'withdraw' ? withdraw({ at }) : erase({ by: 'sender', at })
  const outcome = await actOn(store, leadId, decide)
  return outcome.kind === 'done' ? outcome.lead : undefined
}

export type EraseOutcome = { kind: 'erased'; from: State } | { kind: 'missing' | 'overtaken' }

export async function eraseLead(
  store: Store,
  { leadId, by = 'owner', at, version }: Omit<Act, 'by'> & { by?: string },
): Promise<EraseOutcome> {
  let from: State = 'erased'
  const outcome = await actOn(store, leadId, (lead, history) => {
    from = lead.state
    return erase({ by, at, version })(lead, history)
  })
  const { kind } = outcome
  return kind === 'missing' || kind === 'overtaken' ? { kind } : { kind: 'erased', from }
}
