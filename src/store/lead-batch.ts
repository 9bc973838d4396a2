/** The batch that stores a new lead: its row, which is also its first event, and its deliveries. */
import { fieldKeys } from '../contract/fields.ts'
import { firstEventOf } from './chain.ts'
import { toParameters, type Statement, type Value } from './engine/engine.ts'
import { insertDelivery } from './rows.ts'
import type { DedupKey, NewLead } from './rows.ts'

/** Where another lead has the dedup key, or the lead is stored already, nothing is inserted. */
export function toLeadBatch(lead: NewLead, fingerprint: string, key?: DedupKey): Statement[] {
  const batch = [insertLead(lead, fingerprint, key)]
  for (const channel of lead.deliverTo) batch.push(insertDelivery(lead, channel))
  return batch
}

function insertLead(lead: NewLead, fingerprint: string, key?: DedupKey): Statement {
  const { id, receivedAt, judgement, state } = lead
  const values: Value[] = [
    id,
    receivedAt,
    receivedAt,
    lead.unlisted,
    lead.botcheck,
    lead.door,
    lead.agent,
    lead.client,
    lead.userAgent,
    key?.name ?? null,
    key?.until ?? 0,
    fingerprint,
    judgement.score,
    judgement.reasons.join(' '),
    state,
    firstEventOf(lead, fingerprint, state).hash,
  ]
  for (const field of fieldKeys) values.push(lead.values[field])
  return [leadInsert, values]
}

/** In the order of the values above. */
const columns = [
  'id',
  'received_at',
  'state_changed_at',
  'unlisted',
  'botcheck',
  'door',
  'agent',
  'client',
  'user_agent',
  'dedup_key',
  'dedup_until',
  'fingerprint',
  'score',
  'reasons',
  'state',
  'event_head',
  ...fieldKeys,
]

const leadInsert = `insert into lead (event_count, ${columns.join(', ')})
  values (1, ${toParameters(columns.length)}) on conflict do nothing`
