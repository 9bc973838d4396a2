/** Checks every chain of events, the notes and the exports, and reports each break. */
import { findBreak, isFingerprintOf, toChain } from './chain.ts'
import type { Chain } from './chains.ts'
import { findBreakIn } from './exports.ts'
import type { Export } from './exports.ts'
import { findNoteBreak } from './notes.ts'
import type { Store } from './store.ts'

/** `leadId`: '' where it is not about one lead. */
export type Break = { leadId: string; problem: string }
export type Verdict = { leads: number; events: number; breaks: Break[] }

const pageSize = 500
const mostBreaks = 100

type Reading = Pick<Store, 'listChains' | 'findChain' | 'strayEvents' | 'listExports'>

export async function verifyEvents(store: Reading): Promise<Verdict> {
  const verdict: Verdict = { leads: 0, events: 0, breaks: [] }
  for (let before: string | undefined; ;) {
    const chains = await store.listChains({ before, limit: pageSize })
    if (chains.length === 0) break
    for (const chain of chains) {
      const { id } = chain.lead
      verdict.leads += 1
      verdict.events += 1 + chain.later.length
      const found = findProblem(chain)
      const problem = found && (await lookAgain(store, id))
      if (problem !== undefined && verdict.breaks.length < mostBreaks) {
        verdict.breaks.push({ leadId: id, problem })
      }
    }
    before = chains.at(-1)!.lead.id
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
    const chain = await store.findChain(leadId)
    const after = await store.findChain(leadId)
    if (chain === undefined || after === undefined) return 'is gone'
    if (chain.lead.eventHead === after.lead.eventHead || tries === 9) return findProblem(chain)
  }
}

function findProblem({ lead, later, notes }: Chain): string | undefined {
  const events = toChain(lead, later)
  const broken = findBreak(lead, events)
  if (broken !== undefined || lead.state === 'erased') return broken
  const isIntact = isFingerprintOf(lead.fingerprint, lead)
  return isIntact ? findNoteBreak(events, notes) : 'its content was changed'
}
