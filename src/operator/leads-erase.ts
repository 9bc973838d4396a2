/** `lead-intake leads erase`: erases the personal details of a lead for good. */
import { fields } from '../contract/fields.ts'
import { isPostgres } from '../setting-values.ts'
import { eraseLead } from '../lead/move.ts'
import { databaseOf } from '../store/open.ts'
import { emptyLog } from '../store/engine/sqlite-file.ts'
import { findOne } from './leads-show.ts'
import { withStore } from './open.ts'
import { CommandFailed, print, toJson } from './output.ts'

const erased = fields.map(({ key }) => key).join(', ')

export async function eraseOneLead(
  reference: string,
  { yes, json }: { yes?: true; json?: true },
): Promise<void> {
  if (!yes) {
    throw new CommandFailed(
      'usage',
      `This erases ${erased} and every other detail from the sender, and cannot be undone. Add --yes.`,
    )
  }
  const { found, from, database } = await withStore(async (store, settings) => {
    const lead = await findOne(store, reference)
    const outcome = await eraseLead(store, { leadId: lead.id, at: Date.now() })
    if (outcome.kind !== 'erased') throw new CommandFailed('missing', 'The lead no longer exists.')
    return { found: lead.reference, from: outcome.from, database: databaseOf(settings) }
  })
  emptyLogOf(database)
  await print(
    json ? toJson({ reference: found, from, to: 'erased' }) : `${found}: ${from} -> erased\n`,
  )
}

/** SQLite's write-ahead log still holds the old text. For PostgreSQL see docs/operating.md. */
function emptyLogOf(database: string): void {
  if (isPostgres(database) || emptyLog(database)) return
  throw new CommandFailed(
    'unwell',
    'It is erased, but another program keeps the write-ahead log of the database busy, which may still hold the old text. Restart the service to empty it.',
  )
}
