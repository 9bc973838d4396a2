/** What is written for a new lead, all or nothing: its row, which is its first event too, and its deliveries. */
import { firstEventOf } from './chain.ts'
import { toParameters } from './engine.ts'
import type { Statement, Value } from './engine.ts'
import { toInsertSql } from './insert.ts'
import { insertDelivery } from './rows.ts'
import type { DedupKey, NewLead } from './rows.ts'

/** `first`: nothing can stand in its way. `again`: it may be there already, under the same id. */
type Keeping = 'first' | 'again' | DedupKey

export function toBatch(lead: NewLead, fingerprint: string, how: Keeping): Statement[] {
  const head = firstEventOf(lead, fingerprint, lead.state).hash
  const batch = [insertLead(lead, { fingerprint, how, head })]
  for (const channel of lead.deliverTo) batch.push(insertDelivery(lead, channel))
  if (lead.dedup.by === 'earlier') batch.push(...lead.dedup.since)
  return batch
}

/** What every lead brings, in the order of `ownValues`. */
const ownColumns = {
  id: 'text',
  received_at: 'bigint',
  state_changed_at: 'bigint',
  name: 'text',
  email: 'text',
  phone: 'text',
  postcode: 'text',
  message: 'text',
  door: 'text',
  client: 'text',
  user_agent: 'text',
  fingerprint: 'text',
  event_head: 'text',
} as const

/** What most leads have in common, in the order of `otherValues`. */
const otherColumns = {
  unlisted: 'text',
  botcheck: 'text',
  agent: 'text',
  dedup_key: 'text',
  dedup_until: 'bigint',
  score: 'bigint',
  reasons: 'text',
  state: 'text',
} as const

/**
 * With a claim that another lead holds, nothing is inserted; nor `again`, where the lead is there
 * already. `head` is the hash of its first event.
 */
function insertLead(
  lead: NewLead,
  kept: { fingerprint: string; how: Keeping; head: string },
): Statement {
  const { how } = kept
  const values = ownValues(lead, kept)
  if (how === 'first' && isUsual(lead)) return [usualSql, values]
  const claim = typeof how === 'string' ? undefined : how
  return [
    claim !== undefined ? claimedSql : how === 'first' ? plainSql : againSql,
    [...values, ...otherValues(lead, claim)],
  ]
}

function ownValues(lead: NewLead, { fingerprint, head }: { fingerprint: string; head: string }) {
  const { id, receivedAt, values, door, client, userAgent } = lead
  const { name, email, phone, postcode, message } = values
  return [
    id,
    receivedAt,
    receivedAt,
    name,
    email,
    phone,
    postcode,
    message,
    door,
    client,
    userAgent,
    fingerprint,
    head,
  ]
}

function otherValues(lead: NewLead, claim: DedupKey | undefined): Value[] {
  const { unlisted, botcheck, agent, judgement, state } = lead
  const { name = null, until = 0 } = claim ?? {}
  return [
    unlisted,
    botcheck,
    agent,
    name,
    until,
    judgement.score,
    judgement.reasons.join(' '),
    state,
  ]
}

const own = Object.keys(ownColumns)
const others = Object.keys(otherColumns)
const into = `insert into lead (${[...own, ...others].join(', ')}, event_count)`
const plainSql = `${into} values (${toParameters(own.length + others.length)}, 1)`
const againSql = `${plainSql} on conflict (id) do nothing`
const claimedSql = toInsertSql({
  into: 'lead',
  given: { ...ownColumns, ...otherColumns },
  also: { event_count: '1' },
  conflict: 'on conflict (dedup_key) where dedup_key is not null do nothing',
  collidesOn: 'dedup_key',
})

/** What they are for most leads: see `isUsual`. */
const usual: Record<keyof typeof otherColumns, string> = {
  unlisted: `''`,
  botcheck: `''`,
  agent: `''`,
  dedup_key: 'null',
  dedup_until: '0',
  score: '0',
  reasons: `''`,
  state: `'new'`,
}

/** Fewer values to send to the writer and to bind: they cost as much as the rest of the insert. */
const usualSql = `${into} values (${toParameters(own.length)}, ${Object.values(usual).join(', ')}, 1)`

function isUsual({ unlisted, botcheck, agent, judgement, state }: NewLead): boolean {
  return (
    unlisted === '' &&
    botcheck === '' &&
    agent === '' &&
    judgement.score === 0 &&
    judgement.reasons.length === 0 &&
    state === 'new'
  )
}
