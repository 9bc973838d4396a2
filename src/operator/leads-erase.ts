/** `lead-intake leads erase`: takes a person's details out for good. */
import { isPostgres } from '../setting-values.ts'
import { eraseLead } from '../lead/move.ts'
import { databaseOf } from '../store/open.ts'
import { emptyLog } from '../store/engine/sqlite-file.ts'
import { findOne } from './leads-show.ts'
import { withStore } from './open.ts'
import { CommandFailed, print, toJson } from './output.ts'

export async function eraseOneLead(
  reference: string,
  { yes, json }: { yes?: true; json?: true },
): Promise<void> {
  if (!yes) {
    throw new CommandFailed(
      'usage',
      'Name, email, phone, postcode, message and all else the sender told will be gone, and that cannot be undone. Add --yes.',
    )
  }
  const { found, from, database } = await withStore(async (store, settings) => {
    const lead = await findOne(store, reference)
    const outcome = await eraseLead(store, { leadId: lead.id, at: Date.now() })
    if (outcome.kind === 'missing') throw new CommandFailed('missing', 'The lead is gone.')
    return { found: lead.reference, from: outcome.from, database: databaseOf(settings) }
  })
  emptyLogOf(database)
  await print(
    json ? toJson({ reference: found, from, to: 'erased' }) : `${found}: ${from} -> erased\n`,
  )
}

/** PostgreSQL has its own ways: see docs/operating.md. */
function emptyLogOf(database: string): void {
  if (isPostgres(database) || emptyLog(database)) return
  throw new CommandFailed(
    'unwell',
    'It is erased, but another program keeps the log of the database from being emptied, and the old words may still stand in it. A restart of the service empties it.',
  )
}
