/** The service with a store that accepts every lead at once and stores nothing. */
import type { Store } from '../../src/store/store.ts'
import { serveWith } from './serve-with.ts'

const stub: Pick<Store, 'keepLead' | 'probe' | 'close'> = {
  keepLead: ({ reference }) => Promise.resolve({ kind: 'kept', reference }),
  probe: () => Promise.resolve(),
  close: () => Promise.resolve(),
}

await serveWith(() => stub as Store)
