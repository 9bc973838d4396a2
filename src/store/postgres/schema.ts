/** Makes and migrates the schema on a PostgreSQL server. */
import { StoreRefused, type Engine, type Statement } from '../engine/engine.ts'
import {
  addFieldColumns,
  dueMigrations,
  olderSchema,
  type DoneMigration,
} from '../engine/migrations.ts'

const oldestServer = 15
/** This time is long, because migrating a large table takes time. */
const migrationDeadlineMs = 10 * 60_000
/** Any number that no other program uses for an advisory lock in this database. */
const migrationLock = 7_203_417

/** Only a service (`all`) migrates an older schema. A command makes the schema of an `empty` database at most. */
export type Migrates = 'all' | 'empty' | 'none'

/** Returns true if an older schema was migrated. */
export async function prepareDatabase(server: Engine, migrates: Migrates): Promise<boolean> {
  const { done, due, additions } = await readMigrations(server)
  if (due.length + additions.length === 0) return false
  if (migrates === 'none' || (migrates === 'empty' && done.length > 0)) {
    throw new StoreRefused(olderSchema)
  }
  const migration: Statement[] = [
    ['set local statement_timeout = 0', []],
    // If nodes start at the same time, one migrates, and the others wait here. Their inserts into
    // `migration` then fail as duplicates, which the `catch` below expects.
    [`select pg_advisory_xact_lock(${migrationLock})`, []],
    [createMigrationTable, []],
    ...due.flatMap(({ name, hash, sql, ownSql }): Statement[] => [
      ['insert into migration (name, hash, at) values ($1, $2, $3)', [name, hash, Date.now()]],
      [toPostgres(sql) + ownSql, []],
    ]),
    // A migration above may have added the column already.
    ...additions.map((sql): Statement => [
      toPostgres(sql).replace('add column', 'add column if not exists'),
      [],
    ]),
  ]
  try {
    await server.run(migration, migrationDeadlineMs)
  } catch (error) {
    if ((await readMigrations(server)).due.length > 0) throw error
  }
  return done.length > 0
}

async function readMigrations(server: Engine) {
  const [about] = await server.read('show server_version')
  const version = String(about!['server_version'])
  if (Number.parseInt(version, 10) < oldestServer) {
    throw new StoreRefused(
      `The server is PostgreSQL ${version}; this program needs ${oldestServer} or later. Upgrade the server, or name another one in DATABASE_URL.`,
    )
  }
  const [found] = await server.read(`select to_regclass('migration') is null as missing`)
  // Selects `*`, because earlier versions of this program made the table with other columns.
  const rows = found!['missing'] ? [] : await server.read('select * from migration order by name')
  const done = rows as DoneMigration[]
  // Read last: if another node makes the schema meanwhile, columns that seem to be missing beside
  // finished migrations would look like an older schema.
  const columns = await server.read(
    `select attname as name from pg_attribute where attrelid = to_regclass('lead') and attnum > 0 and not attisdropped`,
  )
  return {
    done,
    due: dueMigrations(done, 'postgres'),
    additions: addFieldColumns(columns.map((row) => String(row['name']))),
  }
}

const createMigrationTable =
  'create table if not exists migration (name text collate "C" primary key, hash text not null, at bigint not null)'

/** Migrations are written for SQLite, where `integer` has 64 bits and text is compared by bytes. */
export function toPostgres(sql: string): string {
  return sql
    .replaceAll(/\binteger\b/g, 'bigint')
    .replaceAll(/\btext\b/g, 'text collate "C"')
    .replaceAll(/\) strict(, without rowid)?;/g, ');')
}
