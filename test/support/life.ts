/** Changes leads for tests: as the program decides, or else by force, to states that no button leads to. */
import { eventOfMove, type State } from '../../src/contract/states.ts'
import { erase, move, note, type VisitDate } from '../../src/lead/life.ts'
import type { LeadChange } from '../../src/store/leads/changes.ts'
import { nextOf, type Lead } from '../../src/store/leads/rows.ts'
import type { Store } from '../../src/store/store.ts'

type Move = VisitDate & { to: State; by: string; at: number; undoes?: number }

/** `undefined`: somebody changed the lead since it was read. */
export async function moveLead(store: Store, lead: Lead, asked: Move): Promise<Lead | undefined> {
  const { to, by, at, undoes, ...date } = asked
  const decision = move(to, date, { by, at })(lead, await store.leads.historyOf(lead))
  const isDecided = decision.kind === 'change' && undoes === undefined
  return store.leads.apply(lead, isDecided ? decision.change : forced(lead, asked))
}

function forced(lead: Lead, { to, by, at, undoes, next }: Move): LeadChange {
  const kind = eventOfMove(lead.state, to)
  const isSpam = lead.state === 'held' || lead.state === 'spam'
  return {
    event: { at, kind, data: { from: lead.state, to, by, next, was: nextOf(lead), undoes } },
    after: { ...lead, state: to, stateChangedAt: at, nextAt: next?.at, nextFor: next?.what },
    notices: to === 'withdrawn' && isSpam ? [] : [{ kind, dueAt: at }],
    freesContent: to === 'withdrawn',
  }
}

export async function addNote(
  store: Store,
  lead: Lead,
  { at, memberId, words }: { at: number; memberId: string; words: string },
): Promise<Lead | undefined> {
  return apply(store, lead, note(words, { by: memberId, at })(lead))
}

export async function eraseLead(
  store: Store,
  lead: Lead,
  asked: { by: string; at: number },
): Promise<Lead | undefined> {
  return apply(store, lead, erase(asked)(lead))
}

function apply(store: Store, lead: Lead, decision: ReturnType<ReturnType<typeof erase>>) {
  if (decision.kind !== 'change') throw new Error(`${decision.kind}: ${lead.state}`)
  return store.leads.apply(lead, decision.change)
}
