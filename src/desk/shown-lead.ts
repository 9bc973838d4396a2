/** A lead as commands print it and exports hold it, under the names that requests use. */
import { fields } from '../contract/fields.ts'
import type { Note } from '../store/notes.ts'
import type { Lead } from '../store/rows.ts'

export type ShownLead = Record<string, string | number>

const parts: Record<string, (lead: Lead) => string | number> = {
  reference: (lead) => lead.reference,
  id: (lead) => lead.id,
  received_at: (lead) => toTime(lead.receivedAt),
  state: (lead) => lead.state,
  state_changed_at: (lead) => toTime(lead.stateChangedAt),
  ...Object.fromEntries(fields.map(({ name, key }) => [name, (lead: Lead) => lead.values[key]])),
  unlisted: (lead) => lead.unlisted,
  botcheck: (lead) => lead.botcheck,
  score: (lead) => lead.judgement.score,
  reasons: (lead) => lead.judgement.reasons.join(' '),
  door: (lead) => lead.door,
  agent: (lead) => lead.agent,
  user_agent: (lead) => lead.userAgent,
}

/** In the order in which they are shown. */
export const shownNames: readonly string[] = Object.keys(parts)

export function toShown(lead: Lead): ShownLead {
  const shown: ShownLead = {}
  for (const name of shownNames) shown[name] = parts[name]!(lead)
  return shown
}

export type ShownNote = { at: string; by: string; words: string }

export function toShownNotes(notes: readonly Note[]): ShownNote[] {
  return notes.map(({ at, memberId, words }) => ({ at: toTime(at), by: memberId, words }))
}

/** The bare number if it is outside the range of a Date: not written by this service. */
export function toTime(ms: number): string {
  return Math.abs(ms) <= latestMs ? new Date(ms).toISOString() : String(ms)
}

/** The limit of a Date (ECMAScript, 21.4.1.1). */
const latestMs = 8.64e15
