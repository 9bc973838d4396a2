/**
 * Keeps a lead under its dedup key. The unique index on `dedup_key` decides which of two requests
 * for the same lead came first, so this holds for any number of nodes.
 */
import {
  contentFrom,
  dropExpiredKey,
  dropKeyOf,
  fingerprintOf,
  hadEnded,
  hasEnded,
  isByContent,
  isSameLead,
  toDedupKey,
} from './dedup.ts'
import { StorageUnavailable } from './engine/engine.ts'
import type { Engine } from './engine/engine.ts'
import { IdTaken, noteRepeat } from './kept.ts'
import type { Kept, KeepLead } from './kept.ts'
import { toLeadBatch } from './lead-batch.ts'
import { newReference } from './reference.ts'
import type { Repeats } from './repeats.ts'
import { readLeads } from './rows.ts'
import type { DedupKey, Lead, NewLead } from './rows.ts'

/** The lead that has a dedup key. */
export type KeyHolder = Pick<Lead, 'id' | 'reference' | 'fingerprint' | 'dedupUntil' | 'state'>

/** Leads this engine cannot see: in the node's spool, or in a database that is away. */
export type OtherStore = {
  findHolder(key: DedupKey): KeyHolder | undefined | Promise<KeyHolder | undefined>
  has(leadId: string): Promise<boolean>
  /** Called with each key that is not by content. */
  remember(key: DedupKey, holder: KeyHolder): void
}

const keyReused: Kept = { kind: 'key-reused' }
const committed = Promise.resolve()
const maxTries = 3

export function createKeepByKey(engine: Engine, repeats: Repeats, other?: OtherStore): KeepLead {
  return async function keepByKey(lead) {
    const fingerprint = fingerprintOf(lead.values, lead.unlisted)
    const key = toDedupKey(lead, fingerprint)
    const known = findKnown(lead, fingerprint, key)
    return (known && (await known)) ?? insert(lead, fingerprint, key)
  }

  async function insert(lead: NewLead, fingerprint: string, key: DedupKey): Promise<Kept> {
    let { reference } = lead
    for (let tries = 0; tries < maxTries; tries += 1) {
      const [inserted] = await engine.run(toLeadBatch({ ...lead, reference }, fingerprint, key))
      if (inserted === 1) {
        if (!isByContent(key)) remember(lead, fingerprint, key)
        return { kind: 'kept', reference }
      }
      const where = 'where dedup_key = $1 or id = $2'
      const found = await readLeads(engine, where, [key.name, lead.id])
      const same = found.find(({ id }) => id === lead.id)
      if (same !== undefined && !isSameLead(same, lead)) throw new IdTaken()
      // An earlier try of this lead was committed after all.
      if (same !== undefined) return { kind: 'kept', reference: same.reference }
      const [holder] = found
      const outcome = holder && (await judgeHolder(holder, lead, key))
      if (outcome !== undefined) return outcome
      // The key is free again, or the reference is taken.
      reference = newReference(lead.receivedAt)
    }
    throw new StorageUnavailable('contended')
  }

  /** `undefined`: the key was taken from its holder. */
  async function judgeHolder(
    holder: Lead,
    lead: NewLead,
    key: DedupKey,
  ): Promise<Kept | undefined> {
    if (holder.dedupUntil <= lead.receivedAt) {
      await engine.run([dropExpiredKey(key, lead.receivedAt)])
      return undefined
    }
    // A lead out of a spool was sent before it got here; its holder may have ended in between.
    const ended = lead.dedup.by === 'stored' ? hadEnded(holder, lead.receivedAt) : hasEnded(holder)
    if (isByContent(key) && ended) {
      await engine.run([dropKeyOf(holder)])
      return undefined
    }
    const { id, reference, dedupUntil, state } = holder
    if (!isByContent(key)) {
      other?.remember(key, { id, reference, fingerprint: holder.fingerprint, dedupUntil, state })
    }
    const isSame = holder.fingerprint === fingerprintOf(lead.values, lead.unlisted)
    if (!isSame || key.until <= holder.receivedAt) return keyReused
    return ended ? { kind: 'withdrawn', id } : noteRepeat(engine, holder, lead)
  }

  /** So that the same content without the key, a little later, is recognised. */
  function remember(lead: NewLead, fingerprint: string, key: DedupKey): void {
    const { id, reference, receivedAt, state } = lead
    repeats.remember(contentFrom(lead, fingerprint), { id, receivedAt, committed })
    other?.remember(key, { id, reference, fingerprint, dedupUntil: key.until, state })
  }

  /** What is known without the index; `undefined` without waiting, where that is nothing. */
  function findKnown(
    lead: NewLead,
    fingerprint: string,
    key: DedupKey,
  ): Promise<Kept | undefined> | undefined {
    const holder = other?.findHolder(key)
    if (holder !== undefined) return repeatOf(holder, lead)
    if (lead.dedup.by !== 'content') return undefined
    const earlier = repeats.find(contentFrom(lead, fingerprint), lead.receivedAt)
    return earlier && repeatOfKeyed(earlier.id, lead)
  }

  /** A lead that came with a key, sent again without it. */
  async function repeatOfKeyed(id: string, lead: NewLead): Promise<Kept | undefined> {
    const [found] = await readLeads(engine, 'where id = $1', [id])
    if (found !== undefined) return hasEnded(found) ? undefined : noteRepeat(engine, found, lead)
    return (await other?.has(id)) ? { kind: 'repeated', id, reference: lead.reference } : undefined
  }
}

async function repeatOf(
  finding: KeyHolder | Promise<KeyHolder | undefined>,
  lead: NewLead,
): Promise<Kept | undefined> {
  const holder = await finding
  if (holder === undefined || holder.dedupUntil <= lead.receivedAt) return undefined
  if (holder.fingerprint !== fingerprintOf(lead.values, lead.unlisted)) return keyReused
  const { id, reference } = holder
  return hasEnded(holder) ? { kind: 'withdrawn', id } : { kind: 'repeated', id, reference }
}
