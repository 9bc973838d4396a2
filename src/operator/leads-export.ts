/** `lead-intake leads export`: writes all leads to standard output, a page at a time to limit memory. */
import type { State } from '../contract/states.ts'
import type { Lead } from '../store/rows.ts'
import type { Store } from '../store/store.ts'
import { toCsvRow } from './csv.ts'
import { withStoreToRead } from './open.ts'
import { print } from './output.ts'
import { toShown } from './shown-lead.ts'

export const formats = ['jsonl', 'json', 'csv'] as const
type Format = (typeof formats)[number]

const pageSize = 500

export async function exportLeads(options: { format: Format; state?: State }): Promise<void> {
  const { format, state } = options
  await withStoreToRead(async (store) => {
    let first = true
    if (format === 'json') await print('[')
    for await (const leads of pages(store, state)) {
      await print(leads.map((lead, index) => toText(format, lead, first && index === 0)).join(''))
      first = false
    }
    if (format === 'json') await print('\n]\n')
  })
}

async function* pages(store: Store, state?: State): AsyncGenerator<Lead[]> {
  for (let before: string | undefined; ;) {
    const page = { limit: pageSize, ...(state && { state }), ...(before && { before }) }
    const leads = await store.listLeads(page)
    if (leads.length === 0) return
    yield leads
    before = leads.at(-1)!.id
  }
}

function toText(format: Format, lead: Lead, isFirst: boolean): string {
  const shown = toShown(lead)
  switch (format) {
    case 'jsonl':
      return `${JSON.stringify(shown)}\n`
    case 'json':
      return `${isFirst ? '' : ','}\n${JSON.stringify(shown)}`
    case 'csv':
      return (isFirst ? toCsvRow(Object.keys(shown)) : '') + toCsvRow(Object.values(shown))
  }
}
