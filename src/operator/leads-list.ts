/** `lead-intake leads list`: a page of leads, newest first. */
import type { State } from '../contract/states.ts'
import { toShown, toTime } from '../desk/shown-lead.ts'
import type { Lead } from '../store/rows.ts'
import type { Store } from '../store/store.ts'
import { findOne } from './leads-show.ts'
import { withStoreToRead } from './open.ts'
import { print, toJson } from './output.ts'
import { shorten, toTable } from './table.ts'

type Options = { state?: State; limit: number; before?: string; json?: true }

export async function listLeads({ state, limit, before, json }: Options): Promise<void> {
  const leads = await withStoreToRead(async (store) =>
    store.listLeads({ limit, ...(state && { state }), ...(await pageBefore(store, before)) }),
  )
  const next = leads.length === limit ? leads.at(-1)!.id : undefined
  await printLeads(leads, { next, ...(json && { json }) })
}

/** `before`: the reference or id of a lead, as typed. */
export async function pageBefore(
  store: Store,
  before: string | undefined,
): Promise<{ before?: string }> {
  return before === undefined ? {} : { before: (await findOne(store, before)).id }
}

/** `next`: where another page begins. */
export async function printLeads(
  leads: readonly Lead[],
  { next, json }: { next: string | undefined; json?: true },
): Promise<void> {
  if (json) return print(toJson(leads.map(toShown)))
  if (leads.length === 0) return print('No leads.\n')
  const rows = leads.map(({ reference, receivedAt, state: at, values, door }) => [
    reference,
    toTime(receivedAt).slice(0, 16).replace('T', ' '),
    at,
    door,
    shorten(values.name, 24),
    values.postcode,
    shorten(values.message, 40),
  ])
  await print(
    toTable(['reference', 'received (UTC)', 'state', 'by', 'name', 'postcode', 'message'], rows),
  )
  if (next !== undefined) await print(`More: --before ${next}\n`)
}
