/** The history of a lead: rows that are only added. */
import type { EventKind, LostReason, Next, State } from '../../contract/states.ts'
import { Columns, insertRows, type Condition, type Statement } from '../engine/engine.ts'
import type { Lead } from './rows.ts'

export type LeadEvent = {
  leadId: string
  number: number
  at: number
  kind: EventKind
  /** JSON without personal data, because events stay when a lead is erased. */
  data: string
}

export const eventColumns = new Columns('event', {
  leadId: 'text',
  number: 'integer',
  at: 'integer',
  kind: 'text',
  data: 'text',
})

/** If only the date changed, `from` and `to` are the same state. */
export type EventData = {
  from?: State
  to?: State
  /** `owner`, `sender`, `retention` or the id of a member. */
  by?: string
  /** The number of the event that this one undoes. */
  undoes?: number | undefined
  /** The date of the lead after the event (`next`) and before it (`was`). */
  next?: Next | undefined
  was?: Next | undefined
  takenBy?: string | undefined
  /** The reference of a request that was joined with this one, or left it, and what it became. */
  joined?: string
  became?: State
  /** The ids of the requests that were joined with this one before it was itself joined. */
  along?: readonly string[] | undefined
  /** When the customer had asked for another time, and why the lead was lost, before the event. */
  wasAsked?: number | undefined
  wasLost?: LostReason | undefined
  why?: LostReason
  /** The number of the note that was changed or removed (`removes`). */
  note?: number
  removes?: true | undefined
  /** The names of the details that were corrected. */
  fields?: readonly string[]
}

export function dataOf({ data }: Pick<LeadEvent, 'data'>): EventData {
  return JSON.parse(data)
}

export type ReadEvent = EventData & Pick<LeadEvent, 'at' | 'kind' | 'number'>

export function readEvents(events: readonly LeadEvent[]): ReadEvent[] {
  return events.map(({ at, kind, number, ...event }) => ({ at, kind, number, ...dataOf(event) }))
}

/** What lasted: without the events that were undone, and without those that undid them. */
export function lastingEvents(events: readonly LeadEvent[]): ReadEvent[] {
  const all = readEvents(events)
  const undone = new Set(all.map(({ undoes }) => undoes))
  return all.filter(({ number, undoes }) => undoes === undefined && !undone.has(number))
}

export function ifUnchanged({ id, version }: Pick<Lead, 'id' | 'version'>): Condition {
  return ['exists (select 1 from lead where lead.id = $1 and lead.version = $2)', [id, version]]
}

/** Adds an event that changes nothing else, unless the lead has changed since it was read. */
export function addEvent(lead: Lead, event: Pick<LeadEvent, 'at' | 'kind' | 'data'>): Statement[] {
  const { id: leadId, version: number } = lead
  const sql = 'update lead set version = version + 1 where id = $1 and version = $2'
  return [[sql, [leadId, number], 'must'], insertRows('event', { leadId, number, ...event })]
}
