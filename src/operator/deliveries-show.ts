/** `lead-intake deliveries show`: every try of one delivery, or of all deliveries of a lead. */
import type { Delivery } from '../store/delivery-rows.ts'
import type { Store } from '../store/store.ts'
import { shownDelivery } from './deliveries-list.ts'
import { findOne } from './leads-show.ts'
import { withStoreToRead } from './open.ts'
import { print, toJson } from './output.ts'
import { toTable } from './table.ts'

export async function showDeliveries(name: string, { json }: { json?: true }): Promise<void> {
  await withStoreToRead(async (store) => {
    const shown = []
    for (const delivery of await findDeliveries(store, name)) {
      const tries = await store.triesOf(delivery.id)
      shown.push({
        ...shownDelivery(delivery),
        tries: tries.map(({ at, number, outcome, answer, ms }) => ({
          at: new Date(at).toISOString(),
          number,
          outcome,
          answer,
          ms,
        })),
      })
    }
    if (json) return print(toJson(shown))
    if (shown.length === 0) return print('No deliveries.\n')
    for (const { id, kind, state, tries } of shown) {
      const rows = tries.map((each) => [
        each.at,
        String(each.number),
        each.outcome,
        each.answer,
        `${each.ms} ms`,
      ])
      await print(`${id}  ${kind}  ${state}\n`)
      await print(`${toTable(['at', 'try', 'outcome', 'answer', 'took'], rows)}\n`)
    }
  })
}

/** The delivery with this id, or all deliveries of the lead with this reference or id. */
export async function findDeliveries(
  store: Pick<Store, 'findDelivery' | 'findLead' | 'findByReference' | 'deliveriesOf'>,
  name: string,
): Promise<Delivery[]> {
  const one = await store.findDelivery(name)
  if (one !== undefined) return [one]
  const lead = await findOne(store, name)
  return store.deliveriesOf(lead.id)
}
