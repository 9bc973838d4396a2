/** Walks every chain of events and names each place where it does not hold. */
import { chainStart, fingerprintOf, linkEvent } from './chain.ts'
import type { LeadEvent } from './chain.ts'
import type { Lead } from './rows.ts'
import type { Store } from './store.ts'

export type Break = { leadId: string; problem: string }
export type Verdict = { leads: number; events: number; breaks: Break[] }

const pageSize = 500
const mostBreaks = 100

export async function verifyEvents(
  store: Pick<Store, 'listLeads' | 'eventsOf' | 'strayEvents'>,
): Promise<Verdict> {
  const verdict: Verdict = { leads: 0, events: 0, breaks: [] }
  for (let before: string | undefined; ;) {
    const leads = await store.listLeads({ limit: pageSize, ...(before ? { before } : {}) })
    if (leads.length === 0) break
    const events = Map.groupBy(
      await store.eventsOf(leads.map(({ id }) => id)),
      (event) => event.leadId,
    )
    for (const lead of leads) {
      const own = events.get(lead.id) ?? []
      verdict.leads += 1
      verdict.events += own.length
      const problem = findBreak(lead, own)
      if (problem !== undefined && verdict.breaks.length < mostBreaks) {
        verdict.breaks.push({ leadId: lead.id, problem })
      }
    }
    before = leads.at(-1)!.id
  }
  for (const leadId of await store.strayEvents(mostBreaks)) {
    verdict.breaks.push({ leadId, problem: 'has events, but the lead itself is gone' })
  }
  return verdict
}

function findBreak(lead: Lead, events: readonly LeadEvent[]): string | undefined {
  let head = chainStart
  for (const [index, event] of events.entries()) {
    if (event.number !== index) return `event ${index} is missing`
    if (linkEvent(event, head).hash !== event.hash) return `event ${index} was changed`
    head = event.hash
  }
  if (events.length !== lead.eventCount) {
    return `has ${events.length} events where ${lead.eventCount} were written`
  }
  if (head !== lead.eventHead) return 'its last event is not the one that was written last'
  if (lead.erasedAt !== undefined) return undefined
  const { fingerprint } = JSON.parse(events[0]!.data) as { fingerprint: string }
  if (fingerprintOf(lead.values, lead.unlisted) !== fingerprint) return 'its content was changed'
  return undefined
}
