/** Leads as rows of the database. */
import { fieldKeys, type FieldValues } from '../../contract/fields.ts'
import type { Door, Next, State } from '../../contract/states.ts'
import {
  toParameters,
  toName,
  type Engine,
  type Row,
  type Statement,
  type Value,
} from '../engine/engine.ts'

export type Lead = {
  id: string
  reference: string
  receivedAt: number
  values: FieldValues
  /** Unlisted fields as JSON: stored and shown, never interpreted. */
  unlisted: string
  botcheck: string
  door: Door
  agent: string
  client: string
  userAgent: string
  fingerprint: string
  judgement: { score: number; reasons: readonly string[] }
  state: State
  stateChangedAt: number
  /** Grows by one with each event, and is the number of the next event. */
  version: number
  erasedAt: number | undefined
  nextAt: number | undefined
  nextFor: Next['what'] | undefined
  visitPlace: string | undefined
  /** 1: the sender may see the time of the visit. */
  visitShown: number | undefined
  /** The id of the member who looks after the lead. */
  takenBy: string | undefined
}

/** The columns of a lead that only the owner's work fills. */
type OwnersColumns = 'nextAt' | 'nextFor' | 'visitPlace' | 'visitShown' | 'takenBy'

export function nextOf({ nextAt, nextFor }: Lead): Next | undefined {
  return nextAt === undefined ? undefined : { at: nextAt, what: nextFor ?? 'ring' }
}

/** A checked and judged lead, ready to be kept. */
export type NewLead = Omit<
  Lead,
  'fingerprint' | 'state' | 'stateChangedAt' | 'version' | 'erasedAt' | OwnersColumns
> & {
  state: 'new' | 'held'
  dedup: Dedup
  /** Keyed hashes of the email and the phone number. */
  personKeys: readonly string[]
  /** The channels to notify: one delivery each, stored together with the lead. */
  deliverTo: readonly string[]
}

/**
 * How a repeat of a request is recognised: by the caller's key, by the form's nonce and the content, or
 * by the content alone for a short time.
 */
export type Dedup =
  | { by: 'key' | 'nonce'; value: string }
  | { by: 'content' }
  /** The lead is kept in any case. */
  | { by: 'none' }

/** The columns of the table `lead`, except those of the fields. The id comes first. */
const ownColumns = [
  'id reference received_at unlisted botcheck door agent client user_agent fingerprint',
  'score reasons state state_changed_at version erased_at',
  'next_at next_for visit_place visit_shown taken_by',
].flatMap((names) => names.split(' '))
const allColumns = [...ownColumns, ...fieldKeys]

export const columns = allColumns.join(', ')

const ownNames = ownColumns.map((column) => [toName(column), column] as const)

/** Like `fromRow`, but makes the names of the properties only once, because a page has many leads. */
export function toLead(row: Row): Lead {
  const own = Object.fromEntries(ownNames.map(([name, column]) => [name, row[column] ?? undefined]))
  const { score, reasons, ...lead } = own as unknown as Lead & { score: number; reasons: string }
  return {
    ...lead,
    values: Object.fromEntries(fieldKeys.map((field) => [field, row[field]])) as FieldValues,
    judgement: { score, reasons: reasons.split(' ').filter(Boolean) },
  }
}

/** The prefix of ids made at this time (UUID version 7, RFC 9562, 5.7), so that ids sort leads by time. */
export function toIdStart(timeMs: number): string {
  const hex = timeMs.toString(16).padStart(12, '0')
  return `${hex.slice(0, 8)}-${hex.slice(8)}`
}

/** `rest` is the part of the select after `from lead`: `where …`, `order by …`. */
export async function readLeads(
  engine: Pick<Engine, 'read'>,
  rest: string,
  values: readonly Value[],
): Promise<Lead[]> {
  return (await engine.read(`select ${columns} from lead ${rest}`, values)).map(toLead)
}

/** Selects the rows of another table that belong to some leads: the text after `where`, and its values. */
export type OfLeads = readonly [where: string, ids: readonly string[]]

export function ofLeads(leads: readonly Pick<Lead, 'id'>[]): OfLeads {
  return [`lead_id in (${toParameters(leads.length)})`, leads.map(({ id }) => id)]
}

export type FingerprintedLead = NewLead & { fingerprint: string }

/** Inserts nothing if the id or reference is taken, or if `key` belongs to another lead. */
export function insertLead(lead: FingerprintedLead, key?: string): Statement {
  const { score, reasons } = lead.judgement
  const judged = { score, reasons: reasons.join(' ') }
  const first = { stateChangedAt: lead.receivedAt, version: 1 }
  const named: Record<string, unknown> = { ...lead, ...lead.values, ...judged, ...first }
  const values = allColumns.map((column) => (named[toName(column)] ?? null) as Value)
  // In a select, PostgreSQL assumes that a parameter without a cast is text.
  const casts = values.map((value, index) =>
    typeof value === 'number' ? `cast($${index + 1} as bigint)` : `$${index + 1}`,
  )
  const isOwn = `exists (select 1 from dedup where key = $${values.length + 1} and lead_id = $1)`
  return [
    `insert into lead (${columns}) select ${casts.join(', ')}
     where ${key === undefined ? 'true' : isOwn} on conflict do nothing`,
    key === undefined ? values : [...values, key],
  ]
}
