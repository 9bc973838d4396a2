/** The command `migrate-engine`: copies everything from SQLite to PostgreSQL, or back. */
import { existsSync } from 'node:fs'
import { nobody } from '../contract/notices.ts'
import { howToType, plural } from '../words.ts'
import { isPostgres, readDatabase } from '../setting-values.ts'
import { copyAll, refuseServed } from '../store/postgres/copy.ts'
import { takeLock } from '../store/engine/sqlite-lock.ts'
import { Journal, journalPath } from '../store/postgres/journal.ts'
import { openEngine, withEngine } from '../store/open.ts'
import { copyPictures, placeOfPictures } from '../store/photos/pictures.ts'
import { joinSecret, readSecret } from '../store/secret.ts'
import { Store } from '../store/store.ts'
import { CommandFailed, type Shell } from './shell.ts'

export async function migrateEngine(
  shell: Shell,
  options: { from: string; to: string },
): Promise<void> {
  const from = databaseOrFail('--from', options.from)
  const to = databaseOrFail('--to', options.to)
  if (isPostgres(from) && isPostgres(to)) {
    throw new CommandFailed('usage', 'Use pg_dump and pg_restore from PostgreSQL to PostgreSQL.')
  }
  if (!isPostgres(from) && !existsSync(from)) {
    throw new CommandFailed('missing', `There is no database at ${from}.`)
  }
  const { DATA_DIR } = shell.settings()
  // A running service would go on taking leads into the source, and they would stay behind.
  const lock = await takeLock(isPostgres(from) ? journalPath(DATA_DIR) : from)
  try {
    await copyStopped(shell, { from, to })
  } finally {
    lock.release()
  }
}

async function copyStopped(shell: Shell, { from, to }: { from: string; to: string }) {
  const { DATA_DIR } = shell.settings()
  const { leads } = new Journal(DATA_DIR).state()
  if (leads > 0) {
    throw new CommandFailed(
      'unwell',
      `${plural(leads, 'lead')} in the journal of this node still wait for PostgreSQL. Start the service first, until "${howToType('doctor')}" says that the journal is empty.`,
    )
  }
  // Throws if there is no secret. Without it, no receipt of the copied leads would open.
  if (!isPostgres(from)) readSecret(DATA_DIR)
  await withEngine(await openEngine(from), async (source) => {
    if (source.dialect === 'postgres') await refuseServed(source)
    await withEngine(await openEngine(to), async (target) => {
      await copyAll(source, target, (line) => shell.print(`${line}\n`))
      await shell.print('Every row was copied and compared.\n')
      const names = await new Store(source, nobody).photos.pictureNames()
      const copied = await copyPictures(
        names,
        placeOfPictures(source, DATA_DIR),
        placeOfPictures(target, DATA_DIR),
      )
      const missing = names.length - copied.length
      if (missing > 0) await shell.print(`Pictures of photos that are missing: ${missing}.\n`)
      const shared = [source, target].find(({ dialect }) => dialect === 'postgres')
      if (shared !== undefined) await joinSecret(shared, DATA_DIR)
    })
  })
}

function databaseOrFail(option: string, text: string): string {
  try {
    return readDatabase(text)
  } catch (error) {
    throw new CommandFailed('usage', `${option} ${(error as Error).message}.`)
  }
}
