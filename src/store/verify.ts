/** Walks every chain of events and names each place where it does not hold. */
import { chainStart, fingerprintOf, linkEvent } from './chain.ts'
import type { LeadEvent } from './chain.ts'
import type { Lead } from './rows.ts'
import type { Store } from './store.ts'

export type Break = { leadId: string; problem: string }
export type Verdict = { leads: number; events: number; breaks: Break[] }

const pageSize = 500
const mostBreaks = 100

type Reading = Pick<Store, 'listLeads' | 'findLeads' | 'eventsOf' | 'strayEvents'>

export async function verifyEvents(store: Reading): Promise<Verdict> {
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
      const problem = findBreak(lead, own) && (await lookAgain(store, lead.id))
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

/** Beside a running server, a lead may move between the reading of it and of its events. */
async function lookAgain(store: Reading, leadId: string): Promise<string | undefined> {
  for (let tries = 0; ; tries += 1) {
    const [lead] = await store.findLeads(leadId)
    const events = await store.eventsOf([leadId])
    const [after] = await store.findLeads(leadId)
    if (lead === undefined || after === undefined) return 'is gone'
    if (lead.eventHead === after.eventHead || tries === 9) return findBreak(lead, events)
  }
}

function findBreak(lead: Lead, events: readonly LeadEvent[]): string | undefined {
  const [first] = events
  if (first === undefined) return 'has no events'
  let head = chainStart
  let state = first.kind === 'lead.held' ? 'held' : 'new'
  for (const [index, event] of events.entries()) {
    if (event.number !== index) return `event ${index} is missing`
    if (linkEvent(event, head).hash !== event.hash) return `event ${index} was changed`
    head = event.hash
    state = (JSON.parse(event.data) as { to?: string }).to ?? state
  }
  if (events.length !== lead.eventCount) {
    return `has ${events.length} events where ${lead.eventCount} were written`
  }
  if (head !== lead.eventHead) return 'its last event is not the one that was written last'
  if (lead.state !== state) return `is ${lead.state}, but its events made it ${state}`
  if (lead.receivedAt !== first.at) return 'its time of receipt was changed'
  if (lead.erasedAt !== undefined) return undefined
  const { fingerprint } = JSON.parse(first.data) as { fingerprint: string }
  if (fingerprintOf(lead.values, lead.unlisted) !== fingerprint) return 'its content was changed'
  return undefined
}
