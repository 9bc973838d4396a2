/** Leads and events as rows of the database. */
import { noticeOf } from '../contract/notices.ts'
import type { State } from '../contract/states.ts'
import type { Door } from '../contract/doors.ts'
import { fieldKeys } from '../contract/fields.ts'
import type { FieldValues } from '../contract/fields.ts'
import { toDeliveryId } from './delivery-id.ts'
import { toParameters } from './engine/engine.ts'
import type { Engine, Row, Statement, Value } from './engine/engine.ts'
import { insertRow, prepareInsert } from './engine/insert.ts'

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
  dedupUntil: number
  judgement: { score: number; reasons: readonly string[] }
  state: State
  stateChangedAt: number
  /** Grows by one with each event: that of the next one is its number. */
  version: number
  erasedAt: number | undefined
}

/** As it is stored with the lead. */
export type DedupKey = { name: string; until: number }

/** A checked and judged lead, ready to be kept. */
export type NewLead = Pick<
  Lead,
  | 'id'
  | 'reference'
  | 'receivedAt'
  | 'values'
  | 'unlisted'
  | 'botcheck'
  | 'door'
  | 'agent'
  | 'client'
  | 'userAgent'
  | 'judgement'
> & {
  state: 'new' | 'held'
  dedup: Dedup
  /** Keyed hashes of the email and the phone number. */
  personKeys: readonly string[]
  /** The channels to notify: one delivery each, stored together with the lead. */
  deliverTo: readonly string[]
}

/**
 * What makes two requests the same lead: the caller's key, the form's nonce together with what was
 * typed, or the content alone for a short time.
 */
export type Dedup =
  | { by: 'key' | 'nonce'; value: string }
  | { by: 'content' }
  /** Of a lead out of a spool. */
  | { by: 'stored'; key: DedupKey }

export const columns = [
  'id, reference, received_at, unlisted, botcheck, door, agent, client, user_agent, dedup_until, fingerprint',
  'score, reasons, state, state_changed_at, version, erased_at',
  ...fieldKeys,
].join(', ')

export function toLead(row: Row): Lead {
  const text = (name: string) => String(row[name])
  return {
    id: text('id'),
    reference: text('reference'),
    receivedAt: Number(row['received_at']),
    values: Object.fromEntries(fieldKeys.map((field) => [field, text(field)])) as FieldValues,
    unlisted: text('unlisted'),
    botcheck: text('botcheck'),
    door: text('door') as Door,
    agent: text('agent'),
    client: text('client'),
    userAgent: text('user_agent'),
    fingerprint: text('fingerprint'),
    dedupUntil: Number(row['dedup_until']),
    judgement: {
      score: Number(row['score']),
      reasons: toReasons(text('reasons')),
    },
    state: text('state') as State,
    stateChangedAt: Number(row['state_changed_at']),
    version: Number(row['version']),
    erasedAt: row['erased_at'] === null ? undefined : Number(row['erased_at']),
  }
}

/** `rest` is the select after `from lead`: `where …`, `order by …`. */
export async function readLeads(
  engine: Pick<Engine, 'read'>,
  rest: string,
  values: readonly Value[],
  prepared?: 'prepared',
): Promise<Lead[]> {
  return (await engine.read(`select ${columns} from lead ${rest}`, values, prepared)).map(toLead)
}

/** Rows of other tables that belong to a lead: the text after `where`, and its values. */
export type OfLeads = readonly [where: string, ids: readonly string[]]

export function ofLeads(leads: readonly Pick<Lead, 'id'>[]): OfLeads {
  return [`lead_id in (${toParameters(leads.length)})`, leads.map(({ id }) => id)]
}

function toReasons(text: string): string[] {
  return text === '' ? [] : text.split(' ').filter(Boolean)
}

export function insertDelivery(lead: NewLead, channel: string): Statement {
  const id = toDeliveryId(lead.id, channel)
  return insertRow(deliveryInsert, [id, lead.id, channel, noticeOf(lead.door), lead.receivedAt])
}

const deliveryInsert = prepareInsert({
  into: 'delivery',
  given: { id: 'text', lead_id: 'text', channel: 'text', kind: 'text', due_at: 'bigint' },
  also: { attempts: '0' },
  where: 'exists (select 1 from lead where lead.id = given.lead_id)',
  belongsTo: { table: 'lead', by: 'lead_id' },
  conflict: 'on conflict (id) do nothing',
})
