/** `lead-intake leads export`: writes all leads to standard output, a page at a time to limit memory. */
import type { State } from '../contract/states.ts'
import { pages, writeLeads } from '../desk/export.ts'
import type { ExportFormat } from '../desk/export.ts'
import { withStoreToRead } from './open.ts'
import { print } from './output.ts'

const pageSize = 500

export async function exportLeads(options: { format: ExportFormat; state?: State }): Promise<void> {
  const { format, state } = options
  await withStoreToRead(async (store) => {
    const leads = pages((before) =>
      store.listLeads({ limit: pageSize, ...(state && { state }), ...(before && { before }) }),
    )
    for await (const text of writeLeads(store, leads, { format })) await print(text)
  })
}
