/** Keeps a lead, with its deliveries, once: all or nothing, and never twice. */
import { repeatWindowMs } from '../contract/limits.ts'
import { toIdStart } from '../contract/reference.ts'
import { fingerprintOf, nextEvent } from './chain.ts'
import {
  dropDedupKey,
  isByContent,
  isOver,
  releaseExpiredKey,
  sameSender,
  toDedupKey,
  wasOver,
} from './dedup.ts'
import { StorageUnavailable } from './engine.ts'
import type { Engine } from './engine.ts'
import { toBatch } from './lead-batch.ts'
import { createRepeats, mostRemembered } from './repeats.ts'
import type { Earlier } from './repeats.ts'
import { insertEvent, readLeads } from './rows.ts'
import type { DedupKey, Lead, NewLead } from './rows.ts'

export type Kept =
  | { kind: 'kept' }
  /** `id` is that of the lead that was kept before. */
  | { kind: 'repeated'; id: string }
  | { kind: 'key-reused' }

const done = Promise.resolve()
const kept: Kept = { kind: 'kept' }
const keyReused: Kept = { kind: 'key-reused' }

/** A lead that holds a claim. */
export type Holder = Pick<Lead, 'id' | 'fingerprint' | 'dedupUntil' | 'state'>

/** What the engine cannot see: a spool, or a database that is away. */
export type Elsewhere = {
  find(claim: string): Holder | undefined | Promise<Holder | undefined>
  findLead(id: string): Promise<Pick<Lead, 'state'> | undefined>
  /** Who holds a key. */
  note(claim: string, holder: Holder): void
}

export type KeepLead = (lead: NewLead) => Promise<Kept>

/** `repeats`: shared where two engines keep leads for one node. */
export function createKeepLead(
  engine: Engine,
  elsewhere?: Elsewhere,
  repeats = createRepeats(),
): KeepLead {
  let loaded = !engine.soleWriter
  let loading: Promise<void> | undefined

  return keepLead

  function keepLead(lead: NewLead): Promise<Kept> {
    if (!loaded) {
      loading ??= loadRepeats(lead.receivedAt).finally(() => (loading = undefined))
      return loading.then(() => keepLead(lead))
    }
    const fingerprint = fingerprintOf(lead.values, lead.unlisted)
    if (engine.soleWriter && lead.dedup.by === 'content') return keepOnce(lead, fingerprint)
    return keepByKey(lead, fingerprint, toDedupKey(lead, fingerprint))
  }

  function keepOnce(lead: NewLead, fingerprint: string): Promise<Kept> {
    const sender = sameSender(lead, fingerprint)
    const earlier = repeats.find(sender, lead.receivedAt)
    return earlier === undefined
      ? keepFirst(lead, fingerprint, sender)
      : repeat(lead, fingerprint, earlier)
  }

  function keepFirst(
    lead: NewLead,
    fingerprint: string,
    sender = sameSender(lead, fingerprint),
  ): Promise<Kept> {
    const keeping = engine.run(toBatch(lead, fingerprint, 'first')).then(toKept)
    repeats.remember(sender, { id: lead.id, at: lead.receivedAt, keeping })
    return keeping
  }

  async function repeat(lead: NewLead, fingerprint: string, earlier: Earlier): Promise<Kept> {
    const { id, at } = earlier
    await earlier.keeping.catch(() => {})
    const [found] = await readLeads(engine, 'where id = $1', [id])
    if (found !== undefined && isOver(found)) {
      // Somebody else may have sent it anew meanwhile.
      const now = repeats.find(sameSender(lead, fingerprint), lead.receivedAt)
      return now === earlier ? keepFirst(lead, fingerprint) : keepOnce(lead, fingerprint)
    }
    if (found !== undefined) return noteRepeat(found, lead)
    // It failed; or it is late, and may still be committed. So this one comes under the same id:
    // whichever is committed first, there is one.
    const keeping = engine
      .run(toBatch({ ...lead, id }, fingerprint, 'again'))
      .then((): Kept => ({ kind: 'repeated', id }))
    repeats.remember(sameSender(lead, fingerprint), { id, at, keeping })
    return keeping
  }

  /** Where another process keeps leads too, or the caller has a key, the database itself decides who is first. */
  async function keepByKey(
    lead: NewLead,
    fingerprint: string,
    claim: DedupKey,
    triesLeft = 3,
  ): Promise<Kept> {
    if (triesLeft === 0) throw new StorageUnavailable('contended')
    const before = findBefore(lead, fingerprint, claim)
    const known = before && (await before)
    if (known !== undefined) return known
    const [inserted] = await engine.run(toBatch(lead, fingerprint, claim))
    if (inserted === 1) {
      if (lead.dedup.by !== 'content') remember(lead, fingerprint, claim)
      return kept
    }
    const [holder] = await readLeads(engine, 'where dedup_key = $1', [claim.name])
    // An earlier try of the very same lead came through after all.
    if (holder?.id === lead.id) return kept
    if (holder === undefined || holder.dedupUntil <= lead.receivedAt) {
      await engine.run([releaseExpiredKey(claim, lead)])
      return keepByKey(lead, fingerprint, claim, triesLeft - 1)
    }
    // One that comes late, from a spool, was sent before what has happened since.
    const over = lead.dedup.by === 'earlier' ? wasOver(holder, lead.receivedAt) : isOver(holder)
    if (isByContent(claim) && over) {
      await engine.run([dropDedupKey(holder)])
      return keepByKey(lead, fingerprint, claim, triesLeft - 1)
    }
    if (!isByContent(claim)) elsewhere?.note(claim.name, holder)
    const isAnother =
      holder.fingerprint !== fingerprint ||
      (lead.dedup.by === 'earlier' && (await lead.dedup.isAnother(holder)))
    return isAnother ? keyReused : noteRepeat(holder, lead)
  }

  /** The same words without the key, a little later, are this lead. */
  function remember(lead: NewLead, fingerprint: string, claim: DedupKey): void {
    const { id, receivedAt: at } = lead
    repeats.remember(sameSender(lead, fingerprint), { id, at, keeping: done })
    elsewhere?.note(claim.name, { id, fingerprint, dedupUntil: claim.until, state: lead.state })
  }

  /** What is known without trying; `undefined`, at once, where that is nothing. */
  function findBefore(
    lead: NewLead,
    fingerprint: string,
    claim: DedupKey,
  ): Promise<Kept | undefined> | undefined {
    const found = elsewhere?.find(claim.name)
    if (found !== undefined) return toRepeat(found, lead, fingerprint, claim)
    // A lead that came with a key holds no claim on its content; but the same words without one are it.
    const earlier =
      lead.dedup.by === 'content'
        ? repeats.find(sameSender(lead, fingerprint), lead.receivedAt)
        : undefined
    return earlier && noteRepeatOf(earlier.id, lead)
  }

  async function noteRepeatOf(id: string, lead: NewLead): Promise<Kept | undefined> {
    const [found] = await readLeads(engine, 'where id = $1', [id])
    if (found !== undefined) return isOver(found) ? undefined : noteRepeat(found, lead)
    const waiting = await elsewhere?.findLead(id)
    return waiting === undefined || isOver(waiting) ? undefined : { kind: 'repeated', id }
  }

  /** If somebody else adds an event at the same moment, this note is left out: that is no loss. */
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

  async function loadRepeats(nowMs: number): Promise<void> {
    const rows = await engine.read(
      'select id, fingerprint, client, received_at from lead where id >= $1 order by id desc limit $2',
      [toIdStart(nowMs - repeatWindowMs), mostRemembered],
    )
    for (const row of rows.toReversed()) {
      const [id, at] = [String(row['id']), Number(row['received_at'])]
      const client = String(row['client'])
      repeats.remember(sameSender({ client }, String(row['fingerprint'])), {
        id,
        at,
        keeping: done,
      })
    }
    loaded = true
  }
}

async function toRepeat(
  finding: Holder | undefined | Promise<Holder | undefined>,
  lead: NewLead,
  fingerprint: string,
  claim: DedupKey,
): Promise<Kept | undefined> {
  const holder = await finding
  if (holder === undefined || holder.dedupUntil <= lead.receivedAt) return undefined
  if (isByContent(claim) && isOver(holder)) return undefined
  return holder.fingerprint === fingerprint ? { kind: 'repeated', id: holder.id } : keyReused
}

function toKept(): Kept {
  return kept
}
