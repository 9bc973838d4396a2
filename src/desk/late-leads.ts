/**
 * Leads whose ids are older than the mark of the search index, which it would not look at again: the
 * clock was set back before a start, or that of this node is slow.
 */
import type { Store } from '../store/store.ts'

export type LateLeads = {
  /** Of every lead, after its commit. */
  note(leadId: string): void
  addDue(store: Pick<Store, 'readSearchMark' | 'addDue'>): Promise<void>
}

export function createLateLeads(): LateLeads {
  let mark: string | undefined
  let noted: string[] = []
  return {
    note(leadId) {
      if (mark === undefined || leadId <= mark) noted.push(leadId)
    },
    async addDue(store) {
      const { leadId } = await store.readSearchMark()
      mark = leadId
      const taken = noted
      noted = []
      try {
        await store.addDue(taken.filter((id) => id <= leadId))
      } catch (error) {
        noted.push(...taken)
        throw error
      }
    },
  }
}
