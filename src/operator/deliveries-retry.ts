/** `lead-intake deliveries retry`: puts deliveries that died, or failed and wait, at the start of the schedule. */
import { findDeliveries } from './deliveries-show.ts'
import { withStore } from './open.ts'
import { print, toJson } from './output.ts'

type Options = { channel?: string; json?: true }

export async function retryDeliveries(
  name: string | undefined,
  { channel, json }: Options,
): Promise<void> {
  const at = Date.now()
  const count = await withStore(async (store) => {
    if (name === undefined) return store.retryDeliveries(channel ? { channel } : {}, at)
    let retried = 0
    for (const { id, channel: through } of await findDeliveries(store, name)) {
      if (channel === undefined || channel === through) {
        retried += await store.retryDeliveries({ id }, at)
      }
    }
    return retried
  })
  if (json) return print(toJson({ retried: count }))
  const when = count > 0 ? ' A running service sends them within half a minute.' : ''
  await print(`Deliveries to retry: ${count}.${when}\n`)
}
