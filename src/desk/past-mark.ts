/** Looks through leads that the index does not hold yet: the newest, and those that are due. */
import type { Lead } from '../store/rows.ts'
import type { Store } from '../store/store.ts'
import { filterInTurns } from './turns.ts'

const mostLeads = 5_000
const pageSize = 250

/** `oldest`: of those that were looked at, where there are more; `undefined`: all were. */
export type PastMark = { found: Lead[]; oldest: string | undefined }

/** Newest first, up to the limit. */
export async function leadsPastMark(
  store: Pick<Store, 'unindexedLeads'>,
  { before, limit }: { before?: string; limit: number },
  isMeant: (lead: Lead) => boolean,
): Promise<PastMark> {
  const found: Lead[] = []
  let last = before
  for (let seen = 0; seen < mostLeads; seen += pageSize) {
    const page = { limit: pageSize, ...(last === undefined ? {} : { before: last }) }
    const leads = await store.unindexedLeads(page)
    found.push(...(await filterInTurns(leads, isMeant)))
    if (leads.length < pageSize) return { found: found.slice(0, limit), oldest: undefined }
    last = leads.at(-1)!.id
    if (found.length >= limit) return { found: found.slice(0, limit), oldest: undefined }
  }
  return { found, oldest: last }
}

const mostDue = 500

/** Of these the index knows nothing yet, or not the latest note. */
export async function dueLeads(store: Pick<Store, 'dueIds' | 'findLeads'>): Promise<Lead[]> {
  return store.findLeads(await store.dueIds(mostDue))
}
