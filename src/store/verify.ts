/** Checks every chain of events, the notes and the exports, and reports each break. */
import { findBreak, isFingerprintOf } from './chain.ts'
import type { LeadEvent } from './chain.ts'
import { findBreakIn } from './exports.ts'
import type { Export } from './exports.ts'
import { findNoteBreak } from './notes.ts'
import type { Note } from './notes.ts'
import type { Lead } from './rows.ts'
import type { Store } from './store.ts'

/** `leadId`: '' where it is not about one lead. */
export type Break = { leadId: string; problem: string }
export type Verdict = { leads: number; events: number; breaks: Break[] }

const pageSize = 500
const mostBreaks = 100

type Reading = Pick<
  Store,
  'listLeads' | 'findLead' | 'eventsOf' | 'notesOf' | 'strayEvents' | 'listExports'
>

export async function verifyEvents(store: Reading): Promise<Verdict> {
  const verdict: Verdict = { leads: 0, events: 0, breaks: [] }
  for (let before: string | undefined; ;) {
    const leads = await store.listLeads({ limit: pageSize, ...(before ? { before } : {}) })
    if (leads.length === 0) break
    const notes = Map.groupBy(await store.notesOf(leads, 'in-a-row'), ({ leadId }) => leadId)
    for (const [index, events] of (await store.eventsOf(leads, 'in-a-row')).entries()) {
      const lead = leads[index]!
      verdict.leads += 1
      verdict.events += events.length
      const found = findProblem(lead, events, notes.get(lead.id))
      const problem = found && (await lookAgain(store, lead.id))
      if (problem !== undefined && verdict.breaks.length < mostBreaks) {
        verdict.breaks.push({ leadId: lead.id, problem })
      }
    }
    before = leads.at(-1)!.id
  }
  for (const leadId of await store.strayEvents(mostBreaks)) {
    verdict.breaks.push({ leadId, problem: 'has events, but the lead itself is gone' })
  }
  const problem = await findExportBreak(store)
  if (problem !== undefined) verdict.breaks.push({ leadId: '', problem })
  return verdict
}

async function findExportBreak(store: Reading): Promise<string | undefined> {
  for (let last: Export | undefined; ;) {
    const exports = await store.listExports(last?.number ?? 0, pageSize)
    const problem = findBreakIn(exports, last)
    if (problem !== undefined || exports.length === 0) return problem
    last = exports.at(-1)
  }
}

/** With a running server, a lead may move between reading it and reading its events. */
async function lookAgain(store: Reading, leadId: string): Promise<string | undefined> {
  for (let tries = 0; ; tries += 1) {
    const lead = await store.findLead(leadId)
    if (lead === undefined) return 'is gone'
    const [events = []] = await store.eventsOf([lead])
    const notes = await store.notesOf([lead])
    const after = await store.findLead(leadId)
    if (after === undefined) return 'is gone'
    if (lead.eventHead === after.eventHead || tries === 9) return findProblem(lead, events, notes)
  }
}

function findProblem(
  lead: Lead,
  events: readonly LeadEvent[],
  notes: readonly Note[] = [],
): string | undefined {
  const broken = findBreak(lead, events)
  if (broken !== undefined || lead.state === 'erased') return broken
  const isIntact = isFingerprintOf(lead.fingerprint, lead)
  return isIntact ? findNoteBreak(events, notes) : 'its content was changed'
}
