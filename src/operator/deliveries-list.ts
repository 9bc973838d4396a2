/** `lead-intake deliveries list`: deliveries with their state, next try and last problem. */
import type { Delivery } from '../store/delivery-rows.ts'
import { withStoreToRead } from './open.ts'
import { print, toJson } from './output.ts'
import { toTable } from './table.ts'

type Options = { waiting?: true; dead?: true; channel?: string; limit: number; json?: true }

export async function listDeliveries(options: Options): Promise<void> {
  const { waiting, dead, channel, limit, json } = options
  const outcome = waiting ? 'waiting' : dead ? 'dead' : undefined
  const list = await withStoreToRead((store) =>
    store.listDeliveries({ limit, ...(outcome && { outcome }), ...(channel && { channel }) }),
  )
  if (json) return print(toJson(list.map(shownDelivery)))
  if (list.length === 0) return print('No deliveries.\n')
  const rows = list.map((each) => {
    const { id, kind, state, attempts, due_at, problem } = shownDelivery(each)
    return [id, kind, state, String(attempts), state === 'waiting' ? due_at : '', problem]
  })
  await print(toTable(['delivery', 'of', 'state', 'tries', 'next (UTC)', 'last problem'], rows))
}

export function shownDelivery(delivery: Delivery) {
  const { id, leadId, channel, kind, outcome, attempts, dueAt, doneAt, problem } = delivery
  return {
    id,
    lead: leadId,
    channel,
    kind,
    state: outcome === '' ? 'waiting' : outcome,
    attempts,
    due_at: new Date(dueAt).toISOString(),
    done_at: doneAt === undefined ? '' : new Date(doneAt).toISOString(),
    problem,
  }
}
