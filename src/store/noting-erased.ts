/** The store of a process that may erase: the ids of erased leads are noted in a file, too. */
import { appendErased } from './erased-file.ts'
import type { Store } from './store.ts'

/** The store, whose ways of erasing note each id as soon as the erasing is committed. */
export function notingErased(store: Store, dataDir: string): Store {
  return {
    ...store,
    async eraseLead(lead, erasure) {
      const moved = await store.eraseLead(lead, erasure)
      if (moved.kind === 'moved') await appendErased(dataDir, [{ leadId: lead.id, at: erasure.at }])
      return moved
    },
    async eraseLeads(erasures) {
      const moved = await store.eraseLeads(erasures)
      const erased = erasures.filter((_, index) => moved[index]!.kind === 'moved')
      await appendErased(
        dataDir,
        erased.map(({ lead, at }) => ({ leadId: lead.id, at })),
      )
      return moved
    },
  }
}
