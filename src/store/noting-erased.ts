/** The store of a process that may erase: the ids of erased leads are noted in a file, too. */
import { appendErased } from './erased-file.ts'
import type { Store } from './store.ts'

/** The store, whose erasing notes each id as soon as it is committed. */
export function notingErased(store: Store, dataDir: string): Store {
  return {
    ...store,
    async eraseLead(lead, erasure) {
      const moved = await store.eraseLead(lead, erasure)
      if (moved.kind === 'moved') await appendErased(dataDir, [{ leadId: lead.id, at: erasure.at }])
      return moved
    },
  }
}
