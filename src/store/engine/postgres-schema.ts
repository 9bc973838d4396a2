/** Prepares a PostgreSQL database, or says in a sentence why it cannot be used. */
import { StorageUnavailable, StoreRefused, type Engine } from './engine.ts'
import {
  addFieldColumns,
  describeMigration,
  dueMigrations,
  lastNumber,
  NewerSchema,
  olderSchema,
  type BeforeMigration,
  type DoneMigration,
  type NoteMigration,
  type DatabaseSchema,
} from './migrations.ts'
import type { Connections, Query } from './postgres-pool.ts'

const oldestServer = 15
/** A migration of a large table takes long, and other nodes wait for it. */
const migrationDeadlineMs = 10 * 60_000
/** Any number that no other program uses for an advisory lock in this database. */
const migrationLock = 7_203_417

type Prepare = {
  nowMs: number
  noteMigration?: NoteMigration | undefined
  beforeMigration?: BeforeMigration | undefined
}

/** Refuses an old server or a schema of another program, and runs the migrations that are due. */
export async function prepareDatabase(connections: Connections, prepare: Prepare): Promise<void> {
  if (!isOlder(await readServerSchema(connections))) return
  // When several nodes start together, one looks, makes the backup and migrates; the others wait.
  await connections.alone(migrationLock, () => migrateOnce(connections, prepare))
}

async function migrateOnce(connections: Connections, prepare: Prepare): Promise<void> {
  const { nowMs, noteMigration, beforeMigration } = prepare
  const { migrations, columns } = await readServerSchema(connections)
  const due = dueMigrations(migrations, 'postgres')
  const additions = addFieldColumns(columns)
  if (due.length + additions.length === 0) return
  if (migrations.length > 0) await beforeMigration?.(lastNumber(migrations), toSource(connections))
  const startedAt = performance.now()
  await connections.transact(
    [
      { text: 'set local statement_timeout = 0' },
      { text: createMigrationTable },
      ...due.flatMap(({ name, hash, sql, ownSql }): Query[] => [
        { text: remember, values: [name, hash, nowMs] },
        { text: toPostgres(sql) + ownSql },
      ]),
      // A migration may have made the column.
      ...additions.map((sql) => ({
        text: toPostgres(sql).replace('add column', 'add column if not exists'),
      })),
    ],
    migrationDeadlineMs,
  )
  const addsFields = additions.length > 0
  const migrated = describeMigration(migrations, due, { addsFields, startedAt })
  if (migrated !== undefined) noteMigration?.(migrated)
}

function toSource(connections: Connections): Pick<Engine, 'read' | 'run'> {
  return {
    read: async (text, values = []) => (await connections.ask({ text, values })).rows,
    async run(batch) {
      const answers = await connections.transact(batch.map(([text, values]) => ({ text, values })))
      return answers.map(({ count }) => count)
    },
  }
}

/** For a node that runs: another may have migrated the database since. */
export async function refuseNewerSchema(connections: Connections): Promise<void> {
  dueMigrations(await doneMigrations(connections), 'postgres')
}

/** For a command that only reads. */
export async function refuseOtherSchema(connections: Connections): Promise<void> {
  if (isOlder(await readServerSchema(connections))) throw new StoreRefused(olderSchema)
}

/** Refuses an old server. */
export async function readServerSchema(connections: Connections): Promise<DatabaseSchema> {
  await refuseOldServer(connections)
  return {
    migrations: await doneMigrations(connections),
    columns: await leadColumns(connections),
  }
}

function isOlder({ migrations, columns }: DatabaseSchema): boolean {
  return dueMigrations(migrations, 'postgres').length > 0 || addFieldColumns(columns).length > 0
}

async function refuseOldServer(connections: Connections): Promise<void> {
  const { rows } = await connections.ask({ text: `show server_version` })
  const version = String(rows[0]!['server_version'])
  if (Number.parseInt(version, 10) >= oldestServer) return
  throw new StoreRefused(
    `The server is PostgreSQL ${version}; this program needs ${oldestServer} or later. Upgrade the server, or name another one in DATABASE_URL.`,
  )
}

/** Reads every column: the table of an earlier commit has others. */
async function doneMigrations(connections: Connections): Promise<DoneMigration[]> {
  const found = await connections.ask({
    text: `select to_regclass('migration') is null as missing`,
  })
  if (found.rows[0]!['missing']) return []
  const { rows } = await connections.ask({ text: 'select * from migration order by name' })
  return rows as DoneMigration[]
}

async function leadColumns(connections: Connections): Promise<string[]> {
  const { rows } = await connections.ask({
    text: `select attname as name from pg_attribute where attrelid = to_regclass('lead') and attnum > 0 and not attisdropped`,
  })
  return rows.map((row) => String(row['name']))
}

const createMigrationTable =
  'create table if not exists migration (name text collate "C" primary key, hash text not null, at bigint not null)'
const remember = 'insert into migration (name, hash, at) values ($1, $2, $3)'

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

/** For a start: an error that says what to do. `undefined`: the server may come back by itself. */
export function explainPostgresFault(error: unknown, url: string): StoreRefused | undefined {
  if (error instanceof StoreRefused) return error
  const cause = (error instanceof StorageUnavailable ? error.cause : error) as
    | { code?: string; syscall?: string; path?: string }
    | undefined
  const { user, place, database } = partsOf(url)
  const { code, syscall, path } = cause ?? {}
  if (syscall === 'open') {
    return new StoreRefused(
      `${path} cannot be read (${code}). Check sslrootcert, sslcert and sslkey in DATABASE_URL, and that this user may read what they name.`,
    )
  }
  if (code === '28P01' || code === '28000') {
    return new StoreRefused(
      `PostgreSQL at ${place} does not let the user ${user} in (${code}). Check user and password in DATABASE_URL, sslmode where the server asks for TLS, and pg_hba.conf of the server.`,
    )
  }
  if (code === '3D000') {
    return new StoreRefused(
      `PostgreSQL at ${place} has no database ${database}. Create it (create database ${database}), or name another one in DATABASE_URL.`,
    )
  }
  if (code === '42501') {
    return new StoreRefused(
      `The user ${user} may not make or write tables in the database ${database} at ${place}. As its owner run: grant create, usage on schema public to ${user}. If another user made the tables, let that one own them all, or grant every right on them.`,
    )
  }
  return undefined
}

/** Why there is no connection, and what to do about it. */
export function whyAway(error: unknown, url: string): string {
  const { cause } = error as Error
  if (cause instanceof NewerSchema) return cause.message
  const server = `PostgreSQL at ${partsOf(url).place}`
  const { code = '', message } = ((error as Error).cause ?? error) as Error & { code?: string }
  if (message === 'The server does not support SSL connections') {
    return `${server} does not speak TLS, and DATABASE_URL asks for it (sslmode). Set ssl = on in its postgresql.conf.`
  }
  if (/CERT|LEAF/.test(code)) {
    return `${server} shows a certificate that is not accepted: ${message.split(';')[0]}. Name the server in DATABASE_URL as its certificate does, and the file of the authority that signed it (sslrootcert).`
  }
  return `${server} cannot be reached (${code || message}). Check host, port and TLS (sslmode) in DATABASE_URL, and that the server runs.`
}

/** Never the password. */
function partsOf(url: string): { user: string; place: string; database: string } {
  const { username, hostname, port, pathname, searchParams } = new URL(url)
  const host = searchParams.get('host') ?? hostname
  return {
    user: decodeURIComponent(username) || (searchParams.get('user') ?? '(none)'),
    place: host.startsWith('/') ? host : `${host || 'localhost'}:${port || '5432'}`,
    database: decodeURIComponent(pathname.slice(1)) || '(none)',
  }
}
