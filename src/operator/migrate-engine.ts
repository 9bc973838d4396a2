/** `lead-intake migrate-engine`: copies everything from SQLite to PostgreSQL, or back. */
import { existsSync } from 'node:fs'
import { howToType } from '../how-to-type.ts'
import { plural } from '../plural.ts'
import { isPostgres, readDatabase } from '../setting-values.ts'
import {
  beginCopy,
  copyTable,
  countCopied,
  endCopy,
  findDifference,
  readTables,
} from '../store/copy.ts'
import type { Engine } from '../store/engine/engine.ts'
import { readJournal } from '../store/journal.ts'
import { openEngine } from '../store/open.ts'
import { joinSecret, readSecret } from '../store/secret.ts'
import { CommandFailed } from './output.ts'
import { type Shell } from './shell.ts'

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
  const { DATA_DIR } = settingsWithoutJournal(shell)
  // The leads and their secret go together.
  if (!isPostgres(from)) readSecret(DATA_DIR)
  const source = await openEngine(from)
  const target = await openEngine(to)
  try {
    await copyAll(shell, { source, target }, isPostgres(to) ? source : target)
    const shared = [source, target].find((engine) => !engine.soleWriter)
    if (shared !== undefined) await joinSecret(shared, DATA_DIR)
  } finally {
    await Promise.all([source.close(), target.close()])
  }
}

function databaseOrFail(option: string, text: string): string {
  try {
    return readDatabase(text)!
  } catch (error) {
    throw new CommandFailed('usage', `${option} ${(error as Error).message}.`)
  }
}

function settingsWithoutJournal(shell: Shell) {
  const settings = shell.settings()
  const { leads } = readJournal(settings.DATA_DIR)
  if (leads === 0) return settings
  throw new CommandFailed(
    'unwell',
    `${plural(leads, 'lead')} in the journal of this node still wait for PostgreSQL. Start the service first, until "${howToType('doctor')}" says that the journal is empty.`,
  )
}

async function copyAll(
  shell: Shell,
  ends: { source: Engine; target: Engine },
  sqlite: Engine,
): Promise<void> {
  const { source, target } = ends
  await beginCopy(source, target)
  const tables = await readTables(sqlite)
  for (const table of tables) {
    let copied = 0
    await copyTable(table, ends, (rows) => (copied += rows))
    await shell.print(`${table.name}: ${copied} rows copied\n`)
  }
  for (const table of tables) {
    const difference = await findDifference(table, ends)
    if (difference !== undefined) {
      throw new CommandFailed(
        'unwell',
        `The copy differs from its source (${difference}). Was the service still running? Stop it, and run this again.`,
      )
    }
  }
  const { leads, events } = await countCopied(target)
  await shell.print(`${leads} leads and ${events} events compared\n`)
  await endCopy(source, target)
}
