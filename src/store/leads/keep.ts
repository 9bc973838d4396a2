/**
 * Keeps a lead only once, in one batch with its first event and its deliveries.
 * The batch first claims the lead's key in `dedup`, and inserts the lead only if the key then
 * belongs to it. So if a lead is sent twice, even to different nodes, one request keeps it, and the
 * other finds the kept lead.
 */
import { hash } from 'node:crypto'
import { fieldKeys } from '../../contract/fields.ts'
import { isUnguessable } from '../../contract/idempotency-key.ts'
import { keyKeptMs, repeatWindowMs } from '../../contract/limits.ts'
import { eventOfBirth } from '../../contract/states.ts'
import { insertLeadNotice } from '../deliveries/rows.ts'
import {
  StorageUnavailable,
  type Condition,
  type Engine,
  type Statement,
} from '../engine/engine.ts'
import { addEvent, eventColumns, ifUnchanged } from './events.ts'
import { newReference } from './reference.ts'
import { insertLead, readLeads, type FingerprintedLead, type Lead, type NewLead } from './rows.ts'

export type Kept =
  /** `reference` is the lead's own or, if that was taken, a new one. */
  | { kind: 'kept'; reference: string }
  | { kind: 'repeated'; id: string; reference: string }
  /** The key belongs to a lead with other content. */
  | { kind: 'key-reused' }
  /** The lead repeats the withdrawn or erased lead with this `id`, and is not kept. */
  | { kind: 'withdrawn'; id: string }

const maxTries = 3

/** `isDue`: a delivery of the lead waits. Most leads have none where no channel is set and no phone added. */
export async function keepOnce(
  engine: Engine,
  lead: NewLead,
): Promise<{ kept: Kept; isDue: boolean }> {
  const { fingerprint, keys } = identify(lead)
  const [key, contentKey] = keys
  const claim = key ? [claimKey(lead, key)] : []
  const isOwn: Condition = key
    ? ['exists (select 1 from dedup where key = $1 and lead_id = $2)', [key.name, lead.id]]
    : ['true', []]
  let { reference } = lead
  for (let tries = 0; tries < maxTries; tries += 1) {
    const results = await engine.run([
      ...claim,
      insertLead(isOwn, { ...lead, reference, fingerprint }),
      ...insertParts(lead, contentKey),
    ])
    const inserted = results[claim.length]
    const deliveries = results.slice(results.length - lead.deliverTo.length)
    if (inserted === 1) return { kept: { kind: 'kept', reference }, isDue: deliveries.includes(1) }
    const earlier = await findEarlier(engine, lead, key)
    if (earlier !== undefined) {
      const kept = await toRepeat(engine, earlier, { ...lead, fingerprint })
      return { kept, isDue: kept.kind === 'kept' }
    }
    // Tries again, because the reference is taken, or the key has become free meanwhile.
    reference = newReference(lead.receivedAt)
  }
  throw new StorageUnavailable('contended')
}

/**
 * Adds the parts only at version 1, because a lead that the journal sends again may be erased
 * already. The deliveries come last: `keepOnce` looks at their results.
 */
function insertParts(lead: NewLead, contentKey: DedupKey | undefined): Statement[] {
  const { id: leadId, receivedAt, keptAt = receivedAt, state, door, judgement, addedBy: by } = lead
  const first = { id: leadId, version: 1 }
  const isFirst = ifUnchanged(first)
  const kind = eventOfBirth(state)
  const data = JSON.stringify({ door, reasons: judgement.reasons, by })
  return [
    eventColumns.insertIf(isFirst, { leadId, number: 0, at: keptAt, kind, data }),
    ...(contentKey ? [claimKey(lead, contentKey, isInserted)] : []),
    ...lead.deliverTo.map((channel) =>
      insertLeadNotice(first, { kind: 'lead.received', dueAt: receivedAt, channel }, isFirst),
    ),
  ]
}

async function toRepeat(engine: Engine, earlier: Lead, lead: FingerprintedLead): Promise<Kept> {
  const { id, reference, state } = earlier
  const isSame = earlier.fingerprint === lead.fingerprint
  if (id === lead.id) {
    // An earlier try to keep this lead was committed after all.
    if (isSame || state === 'erased') return { kind: 'kept', reference }
    throw new Error(`another lead has the id ${id}`)
  }
  // An erased lead has no fingerprint any more, so nothing is compared.
  if (state === 'erased') return { kind: 'withdrawn', id }
  if (!isSame) return { kind: 'key-reused' }
  if (state === 'withdrawn') return { kind: 'withdrawn', id }
  await noteRepeat(engine, earlier, lead)
  return { kind: 'repeated', id, reference }
}

async function findEarlier(
  engine: Engine,
  { id }: NewLead,
  key: DedupKey | undefined,
): Promise<Lead | undefined> {
  const where = 'where id = $1 or id = (select lead_id from dedup where key = $2)'
  const found = await readLeads(engine, where, [id, key?.name ?? ''])
  return found.find((each) => each.id === id) ?? found[0]
}

/** A client can send its lead again without end, but must not fill the lead's history. */
export const mostRepeatsNoted = 20

async function noteRepeat(engine: Engine, earlier: Lead, { receivedAt, door }: NewLead) {
  const [row] = await engine.read(
    `select count(*) as noted from event where lead_id = $1 and kind = 'lead.repeated'`,
    [earlier.id],
  )
  if (Number(row!['noted']) >= mostRepeatsNoted) return
  const data = JSON.stringify({ door })
  await engine.run(addEvent(earlier, { at: receivedAt, kind: 'lead.repeated', data }))
}

/** `outlasts`: the key stays when its lead is erased. */
export type DedupKey = { name: string; until: number; outlasts: boolean }

export function identify(lead: NewLead): { fingerprint: string; keys: DedupKey[] } {
  const fingerprint = fingerprintOf(lead)
  return { fingerprint, keys: keysOf(lead, fingerprint) }
}

/** The first key decides. The second one is for the same content, sent again without the first key. */
function keysOf({ dedup, client, receivedAt }: NewLead, fingerprint: string): DedupKey[] {
  if (dedup.by === 'none') return []
  // The client counts, so that a stranger who guesses the content does not get the private receipt.
  const content: DedupKey = {
    name: contentMark + digest(`${fingerprint} ${client}`),
    until: receivedAt + repeatWindowMs,
    outlasts: false,
  }
  if (dedup.by === 'content') return [content]
  // The same form with other content is a new lead. An idempotency key is refused then.
  const scope = dedup.by === 'nonce' ? fingerprint : ''
  // A guessable key counts only for its client, so that a stranger cannot open or block the lead.
  const isOfAll = isUnguessable(dedup.value)
  const owner = isOfAll ? '' : client
  const name = digest(`${dedup.by} ${dedup.value} ${scope} ${owner}`)
  const outlasts = isOfAll && dedup.by === 'key'
  return [{ name, until: receivedAt + keyKeptMs, outlasts }, content]
}

const contentMark = 'content '

/** Leaves out empty fields, so that a field that is added later changes no stored hash. */
export function fingerprintOf({ values, unlisted }: Pick<NewLead, 'values' | 'unlisted'>): string {
  let text = unlisted
  for (const key of fieldKeys) {
    const value = values[key]
    // NUL separates the parts, because normalised values never hold it.
    if (value !== '') text += `\0${key}\0${key === 'email' ? value.toLowerCase() : value}`
  }
  return digest(text)
}

function digest(text: string): string {
  return hash('sha256', text, 'base64url')
}

const isInserted = 'exists (select 1 from lead where id = $2 and version = 1)'

/** Claims a key that is free. */
function claimKey(
  { id, receivedAt }: NewLead,
  { name, until, outlasts }: DedupKey,
  only = 'true',
): Statement {
  return [
    `insert into dedup (key, lead_id, until, outlasts)
     select $1, $2, cast($3 as bigint), cast($5 as bigint) where ${only}
     on conflict (key) do update set lead_id = excluded.lead_id, until = excluded.until
     where dedup.until <= $4`,
    [name, id, until, receivedAt, outlasts ? 1 : 0],
  ]
}

/** After a withdrawal, the same content, sent again, makes a new lead. */
export function freeContentKey({ id }: Lead): Statement {
  return [`delete from dedup where lead_id = $1 and key like '${contentMark}%'`, [id]]
}
