/** The batch that stores a new lead: its row, its first event, and its deliveries. */
import { fieldKeys } from '../contract/fields.ts'
import { toParameters, type Statement, type Value } from './engine/engine.ts'
import { insertFirstEvent } from './events.ts'
import { insertPersonKeys } from './people.ts'
import { insertDelivery } from './rows.ts'
import type { DedupKey, NewLead } from './rows.ts'
import { insertWords } from './search.ts'

/** Where another lead has the dedup key, or the lead is stored already, nothing is inserted. */
export function toLeadBatch(lead: NewLead, fingerprint: string, key?: DedupKey): Statement[] {
  const batch = [insertLead(lead, fingerprint, key), insertFirstEvent(lead)]
  for (const channel of lead.deliverTo) batch.push(insertDelivery(lead, channel))
  if (lead.door !== 'canary') batch.push(insertWords(lead), ...insertPersonKeys(lead))
  return batch
}

function insertLead(lead: NewLead, fingerprint: string, key?: DedupKey): Statement {
  const { id, receivedAt, judgement, state } = lead
  const values: Value[] = [
    id,
    lead.reference,
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
  ]
  for (const field of fieldKeys) values.push(lead.values[field])
  return [leadInsert, values]
}

/** In the order of the values above. */
const columns = [
  'id',
  'reference',
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
  ...fieldKeys,
]

const leadInsert = `insert into lead (version, ${columns.join(', ')})
  values (1, ${toParameters(columns.length)}) on conflict do nothing`
