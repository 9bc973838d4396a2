/** What a start tells of upgrades: which version used the database before, and each migration. */
import type { LogFacts, Report } from '../log.ts'
import { version } from '../version.ts'
import type { Engine } from './engine/engine.ts'
import { newestMigration } from './engine/migrations.ts'
import type { NoteMigration } from './engine/migrations.ts'

/** `database`: the name of its file, or `postgres`. */
export function noteMigrationOf(database: string, note: Report): NoteMigration {
  return (done) => note('database.migrated', { database, ...done })
}

/** Remembers this version. `previous` is left out where none was remembered: 0.1.0 did not. */
export async function noteVersion(engine: Engine): Promise<LogFacts> {
  const [row] = await engine.read(`select value from installation where name = 'version'`)
  const previous = row && String(row['value'])
  // Not waited for: on SQLite the thread that writes is still starting.
  if (previous !== version) remember(engine).catch(() => {})
  return { version, previous, schema: newestMigration() }
}

async function remember(engine: Engine): Promise<void> {
  const sql =
    'insert into installation (name, value) values ($1, $2) on conflict (name) do update set value = $2'
  await engine.run([[sql, ['version', version]]])
}
