/**
 * The owner's acts on a lead: move it, take the last move back, write a note. Each act names the
 * version of the lead that its page showed. If something has happened since, nothing is done, and the outcome
 * says what it was.
 */
import { normaliseText } from '../contract/check-fields.ts'
import type { Telling } from '../contract/notices.ts'
import { movesFrom, type State } from '../contract/states.ts'
import { undoableMove } from '../lead/move.ts'
import type { LeadEvent, Moved } from '../store/leads/events.ts'
import { untilMoved } from '../store/leads/changes.ts'
import type { Lead } from '../store/leads/rows.ts'
import type { Store } from '../store/store.ts'

export type Act = {
  leadId: string
  /** The version that the page showed; `undefined`: any. */
  version: number | undefined
  /** The id of the member. */
  by: string
  at: number
}

/** `tell`: the channels that are told of a move. */
export type MovingAct = Act & { tell: Telling }

export type ActOutcome =
  | { kind: 'done'; lead: Lead; from: State }
  /** `since`: what the page did not show; everything, where that cannot be told apart. */
  | { kind: 'overtaken'; lead: Lead; since: readonly LeadEvent[] }
  | { kind: 'illegal'; lead: Lead; allowed: readonly State[] }
  | { kind: 'missing' }

export function moveByMember(store: Store, act: MovingAct, to: State): Promise<ActOutcome> {
  return actOn(store, act, async (lead) => {
    const allowed = movesFrom(lead.state, 'owner')
    if (!allowed.includes(to)) return { kind: 'illegal', lead, allowed }
    return store.moveLead(lead, { to, by: act.by, at: act.at, tell: act.tell })
  })
}

export function undoByMember(store: Store, act: MovingAct): Promise<ActOutcome> {
  return actOn(store, act, async (lead) => {
    const [events = []] = await store.eventsOf([lead])
    const last = undoableMove(events)
    if (last === undefined) return { kind: 'illegal', lead, allowed: [] }
    const { by, at, tell } = act
    return store.moveLead(lead, { to: last.from, by, at, undoes: last.number, tell })
  })
}

export const longestNote = 4_000

export type NoteOutcome = ActOutcome | { kind: 'empty' } | { kind: 'too-long'; most: number }

export async function noteByMember(store: Store, act: Act, text: string): Promise<NoteOutcome> {
  const words = normaliseText(text)
  if (words === '') return { kind: 'empty' }
  if (words.length > longestNote) return { kind: 'too-long', most: longestNote }
  return untilMoved(async () => {
    const lead = await store.findLead(act.leadId)
    if (lead === undefined) return { kind: 'missing' }
    if (lead.state === 'erased') return { kind: 'illegal', lead, allowed: [] }
    // A note takes nothing from anybody, so what happened meanwhile does not matter.
    const added = await store.addNote(lead, { at: act.at, memberId: act.by, words })
    return added.kind === 'overtaken'
      ? 'overtaken'
      : { kind: 'done', lead: added.lead, from: lead.state }
  })
}

export const mostAtOnce = 50

/** The same act on several leads, each by itself. */
export async function actOnEach(
  acts: readonly MovingAct[],
  each: (act: MovingAct) => Promise<ActOutcome>,
): Promise<ActOutcome[]> {
  if (acts.length > mostAtOnce) throw new RangeError(`at most ${mostAtOnce} at once`)
  return Promise.all(acts.map(each))
}

function actOn(
  store: Store,
  { leadId, version }: Act,
  act: (lead: Lead) => Promise<Moved | ActOutcome>,
): Promise<ActOutcome> {
  return untilMoved(async () => {
    const lead = await store.findLead(leadId)
    if (lead === undefined) return { kind: 'missing' }
    const since = version === undefined ? [] : await eventsSince(store, lead, version)
    if (since.some(({ kind }) => kind !== 'lead.repeated'))
      return { kind: 'overtaken', lead, since }
    const outcome = await act(lead)
    if (outcome.kind === 'moved') return { kind: 'done', lead: outcome.lead, from: lead.state }
    return outcome.kind === 'overtaken' && !('since' in outcome) ? 'overtaken' : outcome
  })
}

/** Every event where the lead never had this version, as after a restore. */
async function eventsSince(store: Store, lead: Lead, version: number): Promise<LeadEvent[]> {
  if (version === lead.version) return []
  const [events = []] = await store.eventsOf([lead])
  return version < lead.version ? events.slice(version) : events
}
