/**
 * Numbers of documents in the search index. They follow the time the leads came in, with room in each
 * second for leads that come late, so that a search can walk from the newest on.
 */
import { timeOf } from '../store/id-time.ts'
import type { Store } from '../store/store.ts'

/** Small, so that the index stays small: it stores the differences. */
const roomOfSecond = 16
const firstMs = Date.UTC(2023, 0)

/** `last`: the highest number so far. */
export function nextDoc(leadId: string, last: number): number {
  return Math.max(last + 1, startOfSecond(leadId))
}

/** For a lead that comes late: the first number from its second on that is free. */
export async function freeDoc(
  store: Pick<Store, 'docsFrom'>,
  leadId: string,
  given: ReadonlySet<number>,
): Promise<number> {
  for (let doc = startOfSecond(leadId); ;) {
    const taken = new Set([...given, ...(await store.docsFrom(doc, pageSize))])
    const end = doc + pageSize
    while (doc < end && taken.has(doc)) doc += 1
    if (doc < end) return doc
  }
}

const pageSize = 100

function startOfSecond(leadId: string): number {
  return Math.max(1, Math.floor((timeOf(leadId) - firstMs) / 1_000) * roomOfSecond)
}
