/**
 * Which leads are erased by themselves, and when: spam, held leads, and those that are closed without
 * work. A lead that is new, contacted, booked or won stays until somebody erases it.
 */
import { retained } from '../contract/retention.ts'
import type { RetainedGroup, Retention } from '../contract/retention.ts'
import type { State } from '../contract/states.ts'
import { dayMs } from '../durations.ts'
import type { AgedLead } from '../store/aged.ts'
import type { Lead } from '../store/rows.ts'
import type { Store } from '../store/store.ts'

export type GroupCounts = Record<RetainedGroup, number>

/** In the event of the erasing, in place of a member. */
export const byRetention = 'retention'
const pageSize = 250
/** Erased in one commit. A new lead waits for no more than that. */
export const batchSizes = { idle: 50, busy: 5 }
/** Past this many nobody counts. */
const mostCounted = 10_000
/** Past that it is not the leads. */
const mostFailuresInARow = 20

export type EraseDueParts = {
  store: Pick<Store, 'agedLeads' | 'findLeads' | 'eraseLeads'>
  retention: Retention
  now: () => number
  /**
   * Called after each batch with the time it took, and why it failed, if it did. Returns the size of
   * the next; 0: stop.
   */
  rest: (tookMs: number, failure?: unknown) => Promise<number>
}

/**
 * Returns how many were erased. A batch that fails is tried lead by lead; whichever cannot be erased
 * is left, and those behind it are not.
 */
export async function eraseDue({
  store,
  retention,
  now,
  rest,
}: EraseDueParts): Promise<GroupCounts> {
  const erased = noCounts()
  const at = now()
  let size = batchSizes.busy
  let failures = 0
  for await (const { group, leads } of dueLeads(store, retention, at)) {
    let aloneUntil = 0
    for (let first = 0; first < leads.length && size > 0;) {
      const startedAt = performance.now()
      const end = first < aloneUntil ? first + 1 : first + size
      const batch = leads.slice(first, end)
      const done = await eraseBatch(batch).catch((error: unknown) => ({ error }))
      const failure = typeof done === 'object' ? done.error : undefined
      failures = failure === undefined ? 0 : failures + 1
      if (failures === mostFailuresInARow) throw failure
      if (typeof done === 'number') erased[group] += done
      if (failure === undefined || batch.length === 1) first = end
      else aloneUntil = end
      size = await rest(performance.now() - startedAt, failure)
    }
    if (size === 0) break
  }
  return erased

  async function eraseBatch(batch: readonly AgedLead[]): Promise<number> {
    const still = (await store.findLeads(batch.map(({ id }) => id))).filter(isDue)
    // Whoever was overtaken is looked at in the next night.
    const outcomes = await store.eraseLeads(
      still.map((lead) => ({ lead, by: byRetention, at: now() })),
    )
    return outcomes.filter(({ kind }) => kind === 'moved').length
  }

  /** Somebody may have moved it since the page was read. */
  function isDue(lead: Lead): boolean {
    const group = groupOf(lead.state)
    return group !== undefined && isAged(lead, cutoff(retention, group, at))
  }
}

/** How many will be due by then. Each group is counted up to 10,000. */
export async function countDue(
  store: Pick<Store, 'agedLeads'>,
  retention: Retention,
  at: number,
): Promise<GroupCounts> {
  const counts = noCounts()
  for await (const { group, leads } of dueLeads(store, retention, at)) {
    counts[group] = Math.min(mostCounted, counts[group] + leads.length)
  }
  return counts
}

/** Page by page, each read by an index; what changes during the walk does no harm. */
async function* dueLeads(
  store: Pick<Store, 'agedLeads'>,
  retention: Retention,
  at: number,
): AsyncGenerator<{ group: RetainedGroup; leads: AgedLead[] }> {
  for (const group of groups) {
    const before = cutoff(retention, group, at)
    for (const state of retained[group]) {
      for (let past = ''; ;) {
        const page = await store.agedLeads(state, { past, before, limit: pageSize })
        const last = page.at(-1)
        if (last === undefined) break
        past = last.id
        yield { group, leads: page.filter((lead) => isAged(lead, before)) }
      }
    }
  }
}

const groups = Object.keys(retained) as RetainedGroup[]

function groupOf(state: State): RetainedGroup | undefined {
  return groups.find((group) => (retained[group] as readonly State[]).includes(state))
}

function cutoff(retention: Retention, group: RetainedGroup, at: number): number {
  return at - retention[group] * dayMs
}

/** In its state since before then; a lead that came in before may have been moved later. */
function isAged({ stateChangedAt }: Pick<AgedLead, 'stateChangedAt'>, before: number): boolean {
  return stateChangedAt < before
}

function noCounts(): GroupCounts {
  return { spam: 0, held: 0, closed: 0 }
}
