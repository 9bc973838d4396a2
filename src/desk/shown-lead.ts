/** A lead as commands print it and exports hold it, under the names that requests use. */
import { fields } from '../contract/fields.ts'
import type { Note } from '../store/notes.ts'
import type { Lead } from '../store/rows.ts'

export type ShownLead = Record<string, string | number>

export function toShown(lead: Lead): ShownLead {
  return {
    reference: lead.reference,
    id: lead.id,
    received_at: toTime(lead.receivedAt),
    state: lead.state,
    state_changed_at: toTime(lead.stateChangedAt),
    ...Object.fromEntries(fields.map(({ name, key }) => [name, lead.values[key]])),
    unlisted: lead.unlisted,
    botcheck: lead.botcheck,
    score: lead.judgement.score,
    reasons: lead.judgement.reasons.join(' '),
    door: lead.door,
    agent: lead.agent,
    user_agent: lead.userAgent,
  }
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

/** The raw text if it was changed to invalid JSON; `events verify` reports that. */
export function readEventData(data: string): unknown {
  try {
    return JSON.parse(data)
  } catch {
    return data
  }
}
