/**
 * Fills the search index behind the leads, in small batches: keeping a lead costs nothing more. Of
 * several nodes one does it.
 */
import { randomUUID } from 'node:crypto'
import { dayMs } from '../durations.ts'
import { toIdStart } from '../store/id-time.ts'
import type { Lead } from '../store/rows.ts'
import type { SearchDoc, SearchMark } from '../store/search-index.ts'
import type { Store } from '../store/store.ts'
import { freeDoc, nextDoc } from './doc-number.ts'
import { createPersonKeys } from './people.ts'
import { mapInTurns } from './turns.ts'
import { wordsOf } from './words.ts'

export type IndexerParts = {
  store: Pick<
    Store,
    | 'readSearchMark'
    | 'leadsToIndex'
    | 'dueIds'
    | 'findLeads'
    | 'notesOf'
    | 'docsOf'
    | 'docsFrom'
    | 'writeDocs'
    | 'holdOnce'
    | 'findOnce'
    | 'firstSince'
    | 'reindexWords'
  >
  /** Of the installation: keys the hashes of people. */
  secret: Buffer
  now: () => number
}

export type Indexer = {
  /** Returns how many leads it looked at; 0: none waits, or another node does it. */
  indexBatch(limit?: number): Promise<number>
  /** At most once a day, where anything was erased: the index may keep words of deleted documents. */
  tidy(): Promise<void>
}

export const batchSize = 100
/** Ids are made before the commit. After this time no lead with an older id is stored, save by a drain. */
const settleMs = 30_000
/** Of a node that was killed. */
const leaseMs = 60_000

export function createIndexer({ store, secret, now }: IndexerParts): Indexer {
  const keysOf = createPersonKeys(secret)
  const self = randomUUID()
  return { indexBatch, tidy }

  async function indexBatch(limit = batchSize): Promise<number> {
    const mark = await store.readSearchMark()
    const due = await store.dueIds(limit, mark.leadId)
    const span = { after: mark.leadId, before: toIdStart(now() - settleMs) }
    const leads = due.length > 0 ? [] : await store.leadsToIndex(span, limit)
    if (due.length + leads.length === 0) return 0
    if (!(await store.holdOnce('search-indexer', self, now(), now() - leaseMs))) return 0
    const isDone = due.length > 0 ? await indexAgain(mark, due) : await indexOn(mark, leads)
    return isDone ? due.length + leads.length : 0
  }

  async function indexOn(from: SearchMark, leads: readonly Lead[]): Promise<boolean> {
    let { doc } = from
    const docs = await toDocs(leads, (lead) => (doc = nextDoc(lead.id, doc)))
    const to = {
      leadId: leads.at(-1)!.id,
      doc,
      batch: from.batch + 1,
      leads: from.leads + leads.length,
    }
    return store.writeDocs({ from, to }, docs, [])
  }

  async function indexAgain(from: SearchMark, ids: readonly string[]): Promise<boolean> {
    const leads = await store.findLeads(ids)
    const heads = new Map(leads.map(({ id, eventHead }) => [id, eventHead]))
    const known = await store.docsOf(ids)
    const given = new Set<number>()
    for (const { id } of leads) {
      if (!known.has(id)) known.set(id, await freeDoc(store, id, given))
      given.add(known.get(id)!)
    }
    const docs = await toDocs(leads, (lead) => known.get(lead.id)!)
    const doc = Math.max(from.doc, ...given)
    const again = ids.map((id) => ({ id, head: heads.get(id) ?? '' }))
    return store.writeDocs({ from, to: { ...from, doc, batch: from.batch + 1 } }, docs, again)
  }

  async function toDocs(
    leads: readonly Lead[],
    docOf: (lead: Lead) => number,
  ): Promise<SearchDoc[]> {
    const notes = Map.groupBy(await store.notesOf(leads), ({ leadId }) => leadId)
    const textsOf = (lead: Lead) => (notes.get(lead.id) ?? []).map(({ words }) => words)
    const told = leads.filter(({ state, door }) => state !== 'erased' && door !== 'canary')
    return mapInTurns(told, (lead) => ({
      doc: docOf(lead),
      leadId: lead.id,
      words: wordsOf(lead, textsOf(lead)),
      personKeys: keysOf(lead),
    }))
  }

  async function tidy(): Promise<void> {
    const erased = await store.findOnce('search-erased')
    const done = await store.findOnce(tidied)
    if (erased === undefined || erased.at < (done?.at ?? 0)) return
    const at = now()
    if (!(await store.firstSince(begun, at, { before: at - dayMs }))) return
    await store.reindexWords()
    // Not before: one that a stop cut off is done again.
    await store.firstSince(tidied, at, { before: at })
  }
}

const begun = 'search-reindexed'
const tidied = 'search-tidied'
