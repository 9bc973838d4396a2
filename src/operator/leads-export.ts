/** `lead-intake leads export`: writes all leads, or everything about one person, to standard output. */
import type { State } from '../contract/states.ts'
import { pages, writeLeads } from '../desk/export.ts'
import type { ExportFormat } from '../desk/export-formats.ts'
import { readPersonFile } from '../desk/person-file.ts'
import { writePersonPage } from '../desk/person-page.ts'
import { findOne } from './leads-show.ts'
import { readBusinessOf, withStoreToRead } from './open.ts'
import { CommandFailed, print, toJson } from './output.ts'

/** A page at a time, to limit memory. */
const pageSize = 500

type Options = { format?: ExportFormat | 'html'; state?: State; person?: string; alsoPhone?: true }

export async function exportLeads({ format, state, person, alsoPhone }: Options): Promise<void> {
  if (person !== undefined) return exportPerson(person, format ?? 'json', alsoPhone === true)
  if (format === 'html') throw new CommandFailed('usage', '--format html needs --person.')
  await withStoreToRead(async (store) => {
    const leads = pages((before) =>
      store.listLeads({ limit: pageSize, ...(state && { state }), ...(before && { before }) }),
    )
    for await (const text of writeLeads(store, leads, { format: format ?? 'jsonl' })) {
      await print(text)
    }
  })
}

async function exportPerson(
  reference: string,
  format: ExportFormat | 'html',
  alsoPhone: boolean,
): Promise<void> {
  if (format !== 'json' && format !== 'html') {
    throw new CommandFailed('usage', 'With --person the format is json or html.')
  }
  await withStoreToRead(async (store, settings) => {
    const lead = await findOne(store, reference)
    const file = await readPersonFile(store, lead, { at: Date.now(), alsoPhone })
    if (format === 'json') return print(toJson(file))
    return print(writePersonPage(file, readBusinessOf(settings).name))
  })
}
