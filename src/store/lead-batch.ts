/** The batch that stores a new lead: its row, its first event, and its deliveries. */
import { fieldKeys } from '../contract/fields.ts'
import type { Statement, Value } from './engine/engine.ts'
import { insertRow, prepareInsert } from './engine/insert.ts'
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
  return insertRow(leadInsert, values)
}

const leadInsert = prepareInsert({
  into: 'lead',
  // In the order of the values above.
  given: {
    id: 'text',
    reference: 'text',
    received_at: 'bigint',
    state_changed_at: 'bigint',
    unlisted: 'text',
    botcheck: 'text',
    door: 'text',
    agent: 'text',
    client: 'text',
    user_agent: 'text',
    dedup_key: 'text',
    dedup_until: 'bigint',
    fingerprint: 'text',
    score: 'bigint',
    reasons: 'text',
    state: 'text',
    ...Object.fromEntries(fieldKeys.map((field) => [field, 'text' as const])),
  },
  also: { version: '1' },
  conflict: 'on conflict do nothing',
  collidesOn: 'dedup_key',
})
