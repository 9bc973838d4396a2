/** The schema on a PostgreSQL server: reads it, refuses what this program cannot use, and migrates. */
import { StoreRefused, type Engine, type Result, type Statement } from './engine.ts'
import {
  addFieldColumns,
  dueMigrations,
  lastNumber,
  olderSchema,
  stepsOf,
  type BeforeMigration,
  type DatabaseSchema,
  type DoneMigration,
  type NoteMigration,
} from './migrations.ts'

const oldestServer = 15
/** Long: a migration of a large table takes time, and other nodes wait for it. */
const migrationDeadlineMs = 10 * 60_000
/** Any number that no other program uses for an advisory lock in this database. */
const migrationLock = 7_203_417

export type PrepareOptions = {
  nowMs: number
  /** Refuses an older schema, in place of migrating it. */
  toRead?: true
  noteMigration?: NoteMigration | undefined
  beforeMigration?: BeforeMigration | undefined
}

type Server = {
  read: Engine['read']
  run(batch: readonly Statement[], deadlineMs?: number): Promise<readonly Result[]>
  /** Runs `work` on one node at a time. */
  alone<T>(lock: number, work: () => Promise<T>): Promise<T>
}

/** Refuses an old server or a schema of another program, and runs the migrations that are due. */
export async function prepareDatabase(server: Server, prepare: PrepareOptions): Promise<void> {
  const { migrations, columns } = await readServerSchema(server)
  const isDue = dueMigrations(migrations, 'postgres').length > 0
  if (!isDue && addFieldColumns(columns).length === 0) return
  if (prepare.toRead) throw new StoreRefused(olderSchema)
  // When several nodes start together, one looks, makes the backup and migrates; the others wait.
  await server.alone(migrationLock, () => migrateOnce(server, prepare))
}

async function migrateOnce(server: Server, prepare: PrepareOptions): Promise<void> {
  const { nowMs, noteMigration, beforeMigration } = prepare
  const schema = await readServerSchema(server)
  const due = dueMigrations(schema.migrations, 'postgres')
  const additions = addFieldColumns(schema.columns)
  if (due.length + additions.length === 0) return
  if (schema.migrations.length > 0) await beforeMigration?.(lastNumber(schema.migrations), server)
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
  const steps = stepsOf(schema, due)
  if (steps !== '') noteMigration?.(steps)
}

/** Reads the schema of a database. Refuses a server that is too old. */
export async function readServerSchema(server: Pick<Server, 'read'>): Promise<DatabaseSchema> {
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
