/**
 * Keeps leads without a key where this process is the only writer: a map of recent leads decides
 * which are repeats. The index that decides elsewhere costs a quarter more CPU for each lead, because
 * every entry dirties another page. See docs/decisions/0002-repeats.md.
 */
import { repeatWindowMs } from '../contract/limits.ts'
import { contentFrom, fingerprintOf, hasEnded } from './dedup.ts'
import type { Engine } from './engine/engine.ts'
import { IdTaken, noteRepeat } from './kept.ts'
import type { Kept, KeepLead } from './kept.ts'
import { toLeadBatch } from './lead-batch.ts'
import { toIdStart } from './id-time.ts'
import { newReference } from './reference.ts'
import { maxRemembered } from './repeats.ts'
import type { EarlierLead, Repeats } from './repeats.ts'
import { readLeads } from './rows.ts'
import type { NewLead } from './rows.ts'

export function createKeepByMemory(engine: Engine, repeats: Repeats): KeepLead {
  let loaded = false
  let loading: Promise<void> | undefined

  return keepByMemory

  // Not async: most leads are new, and need no promise but that of their commit.
  function keepByMemory(lead: NewLead): Promise<Kept> {
    if (!loaded) return load(lead.receivedAt).then(() => keepByMemory(lead))
    const fingerprint = fingerprintOf(lead.values, lead.unlisted)
    const content = contentFrom(lead, fingerprint)
    const earlier = repeats.find(content, lead.receivedAt)
    return earlier === undefined
      ? insert(lead, fingerprint, content)
      : repeatOrInsert(earlier, lead, fingerprint, content)
  }

  async function repeatOrInsert(
    earlier: EarlierLead,
    lead: NewLead,
    fingerprint: string,
    content: string,
  ): Promise<Kept> {
    const repeated = await repeat(earlier, lead, fingerprint, content)
    if (repeated !== undefined) return repeated
    // It has ended. Of several that waited here, the first makes the new lead.
    const isFirst = repeats.find(content, lead.receivedAt) === earlier
    return isFirst ? insert(lead, fingerprint, content) : keepByMemory(lead)
  }

  function insert(lead: NewLead, fingerprint: string, content: string): Promise<Kept> {
    const { id, receivedAt } = lead
    const committed = run(lead, fingerprint)
    repeats.remember(content, { id, receivedAt, committed })
    return committed
  }

  async function run(lead: NewLead, fingerprint: string): Promise<Kept> {
    const [inserted] = await engine.run(toLeadBatch(lead, fingerprint))
    if (inserted === 1) return { kind: 'kept', reference: lead.reference }
    const [found] = await readLeads(engine, 'where id = $1', [lead.id])
    if (found !== undefined) throw new IdTaken()
    return run({ ...lead, reference: newReference(lead.receivedAt) }, fingerprint)
  }

  /** `undefined`: the earlier lead has ended. */
  async function repeat(
    earlier: EarlierLead,
    lead: NewLead,
    fingerprint: string,
    content: string,
  ): Promise<Kept | undefined> {
    const { id, receivedAt } = earlier
    await earlier.committed.catch(() => {})
    const [found] = await readLeads(engine, 'where id = $1', [id])
    if (found !== undefined) return hasEnded(found) ? undefined : noteRepeat(engine, found, lead)
    // Its commit failed, or is late and may still succeed. Under the same id there is one lead.
    const committed = engine
      .run(toLeadBatch({ ...lead, id }, fingerprint))
      .then((): Kept => ({ kind: 'repeated', id, reference: lead.reference }))
    repeats.remember(content, { id, receivedAt, committed })
    return committed
  }

  /** Before the first lead: those of the last minutes, from before a restart. */
  function load(nowMs: number): Promise<void> {
    loading ??= readRecent(nowMs).finally(() => (loading = undefined))
    return loading
  }

  async function readRecent(nowMs: number): Promise<void> {
    const leads = await readLeads(engine, 'where id >= $1 order by id desc limit $2', [
      toIdStart(nowMs - repeatWindowMs),
      maxRemembered,
    ])
    const committed = Promise.resolve()
    for (const lead of leads.toReversed()) {
      const { id, receivedAt, fingerprint } = lead
      repeats.remember(contentFrom(lead, fingerprint), { id, receivedAt, committed })
    }
    loaded = true
  }
}
