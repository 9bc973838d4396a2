/** The schema on a PostgreSQL server: reads it, refuses what this program cannot use, and migrates. */
import { StoreRefused, type Engine, type Result, type Statement } from './engine.ts'
import { addFieldColumns, dueMigrations, olderSchema, type DoneMigration } from './migrations.ts'

const oldestServer = 15
/** Long: a migration of a large table takes time, and other nodes wait for it. */
const migrationDeadlineMs = 10 * 60_000
/** Any number that no other program uses for an advisory lock in this database. */
const migrationLock = 7_203_417

export type PrepareOptions = {
  nowMs: number
  /** Left out: any. A command makes the tables in an empty database, or none; it refuses an older schema. */
  migrates?: 'empty' | 'none'
}

type Server = {
  read: Engine['read']
  run(batch: readonly Statement[], deadlineMs?: number): Promise<readonly Result[]>
  /** Runs `work` on one node at a time. */
  alone<T>(lock: number, work: () => Promise<T>): Promise<T>
}

/**
 * Refuses an old server or a schema of another program, and runs the migrations that are due. True: a
 * database with an older schema was migrated.
 */
export async function prepareDatabase(server: Server, prepare: PrepareOptions): Promise<boolean> {
  const { migrations, columns } = await readServerSchema(server)
  const isDue = dueMigrations(migrations, 'postgres').length > 0
  if (!isDue && addFieldColumns(columns).length === 0) return false
  const { migrates } = prepare
  if (migrates === 'none' || (migrates === 'empty' && migrations.length > 0)) {
    throw new StoreRefused(olderSchema)
  }
  // When several nodes start together, one looks and migrates; the others wait.
  return server.alone(migrationLock, () => migrateOnce(server, prepare.nowMs))
}

async function migrateOnce(server: Server, nowMs: number): Promise<boolean> {
  const { migrations, columns } = await readServerSchema(server)
  const due = dueMigrations(migrations, 'postgres')
  const additions = addFieldColumns(columns)
  if (due.length + additions.length === 0) return false
  await server.run(
    [
      ['set local statement_timeout = 0', []],
      [createMigrationTable, []],
      ...due.flatMap(({ name, hash, sql, ownSql }): Statement[] => [
        ['insert into migration (name, hash, at) values ($1, $2, $3)', [name, hash, nowMs]],
        [toPostgres(sql) + ownSql, []],
      ]),
      // A migration may have added the column already.
      ...additions.map((sql): Statement => [
        toPostgres(sql).replace('add column', 'add column if not exists'),
        [],
      ]),
    ],
    migrationDeadlineMs,
  )
  return migrations.length > 0
}

/** Reads the schema of a database: its migrations, none if it is empty, and the columns of `lead`. Refuses a server that is too old. */
export async function readServerSchema(
  server: Pick<Server, 'read'>,
): Promise<{ migrations: DoneMigration[]; columns: string[] }> {
  const [about] = await server.read('show server_version')
  const version = String(about!['server_version'])
  if (Number.parseInt(version, 10) < oldestServer) {
    throw new StoreRefused(
      `The server is PostgreSQL ${version}; this program needs ${oldestServer} or later. Upgrade the server, or name another one in DATABASE_URL.`,
    )
  }
  const columns = await server.read(
    `select attname as name from pg_attribute where attrelid = to_regclass('lead') and attnum > 0 and not attisdropped`,
  )
  const [found] = await server.read(`select to_regclass('migration') is null as missing`)
  // Reads every column: the table of an earlier commit has other columns.
  const migrations = found!['missing']
    ? []
    : await server.read('select * from migration order by name')
  return {
    migrations: migrations as DoneMigration[],
    columns: columns.map((row) => String(row['name'])),
  }
}

const createMigrationTable =
  'create table if not exists migration (name text collate "C" primary key, hash text not null, at bigint not null)'

/**
 * The migrations are written for SQLite, where `integer` has 64 bits and text compares by bytes.
 * PostgreSQL is always `strict`.
 */
function toPostgres(sql: string): string {
  return sql
    .replaceAll(/\binteger\b/g, 'bigint')
    .replaceAll(/\btext\b/g, 'text collate "C"')
    .replaceAll(/\) strict(, without rowid)?;/g, ');')
}
