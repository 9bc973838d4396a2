/**
 * A change applies only to the version of the lead that was read. Its batch inserts the event
 * first: the event's primary key makes a second writer wait for the first, and then change nothing.
 */
import type { EventKind, Next, State } from '../../contract/states.ts'
import {
  Columns,
  toAssignments,
  type Condition,
  type Engine,
  type Row,
  type Statement,
  type Value,
} from '../engine/engine.ts'
import { toLead, type Lead } from './rows.ts'

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
export function moveOf({ data }: LeadEvent): {
  from?: State
  to?: State
  by?: string
  undoes?: number
  /** The date of the lead after the event (`next`) and before it (`was`). */
  next?: Next
  was?: Next
  takenBy?: string
} {
  return JSON.parse(data)
}

/** `overtaken`: another writer changed the lead first. */
export type Moved = { kind: 'moved'; lead: Lead } | { kind: 'overtaken' }

export type Change = {
  event: Pick<LeadEvent, 'at' | 'kind' | 'data'>
  set?: Readonly<Record<string, Value>>
  /** Each statement must have the condition `ifUnchanged`. */
  also?: readonly Statement[]
}

export function ifUnchanged({ id, version }: Pick<Lead, 'id' | 'version'>): Condition {
  return ['exists (select 1 from lead where lead.id = $1 and lead.version = $2)', [id, version]]
}

/** Updates the version last, because the statements before it apply only to the version that was read. */
export async function changeLead(
  engine: Engine,
  lead: Lead,
  { event, set = {}, also = [] }: Change,
): Promise<Moved> {
  const { id, version } = lead
  const assigned = { version: version + 1, ...set }
  const results = await engine.run([
    eventColumns.insertIf(ifUnchanged(lead), { leadId: id, number: version, ...event }),
    ...also,
    [
      `update lead set ${toAssignments(assigned, 3)} where id = $1 and version = $2 returning *`,
      [id, version, ...Object.values(assigned)],
    ],
  ])
  const [row] = results.at(-1) as Row[]
  return row ? { kind: 'moved', lead: toLead(row) } : { kind: 'overtaken' }
}
