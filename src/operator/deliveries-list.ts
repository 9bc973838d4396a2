/** `lead-intake deliveries list`: who is still to be told what, and what never arrived. */
import type { Delivery } from '../store/delivery-rows.ts'
import { withStore } from './open.ts'
import { CommandFailed, print, toJson } from './output.ts'
import { toTable } from './table.ts'

type Options = { waiting?: true; dead?: true; channel?: string; limit: string; json?: true }

export async function listDeliveries(options: Options): Promise<void> {
  const { waiting, dead, channel, json } = options
  const limit = Number(options.limit)
  if (!/^\d+$/.test(options.limit) || limit < 1 || limit > 1_000) {
    throw new CommandFailed('usage', '--limit must be a whole number from 1 to 1000.')
  }
  const outcome = waiting ? 'waiting' : dead ? 'dead' : undefined
  const list = await withStore((store) =>
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
