/**
 * Keeps a lead with its deliveries: all or nothing, and once. The unique index on `dedup_key`
 * decides which of two requests for the same lead came first.
 */
import { fingerprintOf, nextEvent } from './chain.ts'
import {
  contentFrom,
  dropExpiredKey,
  dropKeyOf,
  hadEnded,
  hasEnded,
  isByContent,
  toDedupKey,
} from './dedup.ts'
import { StorageUnavailable } from './engine/engine.ts'
import type { Engine } from './engine/engine.ts'
import { toLeadBatch } from './lead-batch.ts'
import { createRepeats } from './repeats.ts'
import { insertEvent, readLeads } from './rows.ts'
import type { DedupKey, Lead, NewLead } from './rows.ts'

export type Kept =
  | { kind: 'kept' }
  /** `id` is that of the lead that was kept before. */
  | { kind: 'repeated'; id: string }
  | { kind: 'key-reused' }

export type KeepLead = (lead: NewLead) => Promise<Kept>

/** The lead that has a dedup key. */
export type KeyHolder = Pick<Lead, 'id' | 'fingerprint' | 'dedupUntil'>

/** Leads this engine cannot see: in the node's spool, or in a database that is away. */
export type OtherStore = {
  findHolder(key: DedupKey): KeyHolder | undefined | Promise<KeyHolder | undefined>
  has(leadId: string): Promise<boolean>
  /** Called with each key that is not by content. */
  remember(key: DedupKey, holder: KeyHolder): void
}

const kept: Kept = { kind: 'kept' }
const keyReused: Kept = { kind: 'key-reused' }
const maxTries = 3

/** `repeats` is shared where two engines keep leads for one node. */
export function createKeepLead(
  engine: Engine,
  other?: OtherStore,
  repeats = createRepeats(),
): KeepLead {
  return async function keepLead(lead) {
    const fingerprint = fingerprintOf(lead.values, lead.unlisted)
    const key = toDedupKey(lead, fingerprint)
    const known = findKnown(lead, fingerprint, key)
    return (known && (await known)) ?? insert(lead, fingerprint, key)
  }

  async function insert(lead: NewLead, fingerprint: string, key: DedupKey): Promise<Kept> {
    for (let tries = 0; tries < maxTries; tries += 1) {
      const [inserted] = await engine.run(toLeadBatch(lead, fingerprint, key))
      if (inserted === 1) {
        if (!isByContent(key)) remember(lead, fingerprint, key)
        return kept
      }
      const [holder] = await readLeads(engine, 'where dedup_key = $1', [key.name])
      const found = holder && (await judgeHolder(holder, lead, fingerprint, key))
      if (found !== undefined) return found
      // The key is free again: its lead is gone, has ended, or its time is over.
    }
    throw new StorageUnavailable('contended')
  }

  /** `undefined`: the key was taken from its holder. */
  async function judgeHolder(
    holder: Lead,
    lead: NewLead,
    fingerprint: string,
    key: DedupKey,
  ): Promise<Kept | undefined> {
    // An earlier try of this lead was committed after all.
    if (holder.id === lead.id) return kept
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
    if (!isByContent(key)) other?.remember(key, holder)
    const isAnother = holder.fingerprint !== fingerprint || key.until <= holder.receivedAt
    return isAnother ? keyReused : noteRepeat(holder, lead)
  }

  function remember(lead: NewLead, fingerprint: string, key: DedupKey): void {
    repeats.remember(contentFrom(lead, fingerprint), lead)
    other?.remember(key, { id: lead.id, fingerprint, dedupUntil: key.until })
  }

  /** What is known without the index; `undefined` without waiting, where that is nothing. */
  function findKnown(
    lead: NewLead,
    fingerprint: string,
    key: DedupKey,
  ): Promise<Kept | undefined> | undefined {
    const holder = other?.findHolder(key)
    if (holder !== undefined) return repeatOf(holder, lead, fingerprint)
    if (lead.dedup.by !== 'content') return undefined
    const id = repeats.find(contentFrom(lead, fingerprint), lead.receivedAt)
    return id === undefined ? undefined : repeatOfKeyed(id, lead)
  }

  async function repeatOfKeyed(id: string, lead: NewLead): Promise<Kept | undefined> {
    const [found] = await readLeads(engine, 'where id = $1', [id])
    if (found !== undefined) return hasEnded(found) ? undefined : noteRepeat(found, lead)
    return (await other?.has(id)) ? { kind: 'repeated', id } : undefined
  }

  /** If another event is added at the same moment, this note is left out. */
  async function noteRepeat(earlier: Lead, lead: NewLead): Promise<Kept> {
    const event = nextEvent(earlier, {
      at: lead.receivedAt,
      kind: 'lead.repeated',
      data: JSON.stringify({ door: lead.door }),
    })
    await engine.run([
      [
        'update lead set event_count = event_count + 1, event_head = $1 where id = $2 and event_head = $3',
        [event.hash, earlier.id, earlier.eventHead],
      ],
      insertEvent(event),
    ])
    return { kind: 'repeated', id: earlier.id }
  }
}

async function repeatOf(
  finding: KeyHolder | Promise<KeyHolder | undefined>,
  lead: NewLead,
  fingerprint: string,
): Promise<Kept | undefined> {
  const holder = await finding
  if (holder === undefined || holder.dedupUntil <= lead.receivedAt) return undefined
  return holder.fingerprint === fingerprint ? { kind: 'repeated', id: holder.id } : keyReused
}
