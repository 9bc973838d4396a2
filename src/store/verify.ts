/** Checks every chain of events and reports each break. */
import { fingerprintOf, linkEvent, moveOf } from './chain.ts'
import type { LeadEvent } from './chain.ts'
import type { Lead } from './rows.ts'
import type { Store } from './store.ts'

export type Break = { leadId: string; problem: string }
export type Verdict = { leads: number; events: number; breaks: Break[] }

const pageSize = 500
const mostBreaks = 100

type Reading = Pick<Store, 'listLeads' | 'findLead' | 'eventsOf' | 'strayEvents'>

export async function verifyEvents(store: Reading): Promise<Verdict> {
  const verdict: Verdict = { leads: 0, events: 0, breaks: [] }
  for (let before: string | undefined; ;) {
    const leads = await store.listLeads({ limit: pageSize, ...(before ? { before } : {}) })
    if (leads.length === 0) break
    for (const [index, events] of (await store.eventsOf(leads)).entries()) {
      const lead = leads[index]!
      verdict.leads += 1
      verdict.events += events.length
      const problem = findBreak(lead, events) && (await lookAgain(store, lead.id))
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

/** With a running server, a lead may move between reading it and reading its events. */
async function lookAgain(store: Reading, leadId: string): Promise<string | undefined> {
  for (let tries = 0; ; tries += 1) {
    const lead = await store.findLead(leadId)
    if (lead === undefined) return 'is gone'
    const [events = []] = await store.eventsOf([lead])
    const after = await store.findLead(leadId)
    if (after === undefined) return 'is gone'
    if (lead.eventHead === after.eventHead || tries === 9) return findBreak(lead, events)
  }
}

/** The first event is made from the lead's row, so a changed row does not match the next event. */
function findBreak(lead: Lead, events: readonly LeadEvent[]): string | undefined {
  const [first, ...later] = events
  let head = first!.hash
  let state = first!.kind === 'lead.held' ? 'held' : 'new'
  for (const [index, event] of later.entries()) {
    const number = index + 1
    if (event.number !== number) return `event ${number} is missing`
    if (linkEvent(event, head).hash !== event.hash) {
      return `event ${number}, or what it follows, was changed`
    }
    head = event.hash
    state = moveOf(event).to ?? state
  }
  if (events.length !== lead.eventCount) {
    return `has ${events.length} events where ${lead.eventCount} were written`
  }
  if (head !== lead.eventHead) return 'how or when it came in, or its last event, was changed'
  if (lead.state !== state) return `is ${lead.state}, but its events made it ${state}`
  if (state === 'erased') return undefined
  if (fingerprintOf(lead.values, lead.unlisted) !== lead.fingerprint)
    return 'its content was changed'
  return undefined
}
