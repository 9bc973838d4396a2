/** The PostgreSQL engine: each batch is one transaction, each question a statement. */
import { commitSeconds } from '../../metrics/metrics.ts'
import {
  StorageUnavailable,
  StoreRefused,
  type Engine,
  type Result,
  type Row,
  type Statement,
  type Value,
} from './engine.ts'
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
import { explainPostgresFault, wasCrossed, whyAway } from './postgres-faults.ts'
import { Connections } from './postgres-pool.ts'

const triesWhenCrossed = 5
const commandDeadlineMs = 60_000

export type PostgresOptions = {
  url: string
  nowMs: number
  /** Waits longer, and refuses in a sentence while the server is away: a command has no journal. */
  forCommand?: true
  /** Refuses an older schema, in place of migrating it. */
  toRead?: true
  noteMigration?: NoteMigration | undefined
  beforeMigration?: BeforeMigration | undefined
}

export class PostgresEngine implements Engine {
  readonly dialect = 'postgres'
  readonly #options: PostgresOptions
  readonly #connections: Connections
  #prepared: Promise<void> | undefined

  constructor(options: PostgresOptions) {
    this.#options = options
    this.#connections = new Connections(options.url, options.forCommand && commandDeadlineMs)
  }

  /** Looks at server and schema, and runs the migrations that are due. */
  async prepare(): Promise<void> {
    const { url, forCommand } = this.#options
    try {
      await prepareDatabase(this.#connections, this.#options)
    } catch (error) {
      const refused = explainPostgresFault(error, url)
      throw refused ?? (forCommand ? new StoreRefused(whyAway(error, url)) : error)
    }
  }

  async run(batch: readonly Statement[]): Promise<readonly Result[]> {
    await this.#ready()
    const startedAt = performance.now()
    for (let triesLeft = triesWhenCrossed; ; triesLeft -= 1) {
      try {
        const results = await this.#connections.run(batch)
        commitSeconds.note((performance.now() - startedAt) / 1000)
        return results
      } catch (error) {
        if (!wasCrossed(error)) throw error
        if (triesLeft === 0) throw new StorageUnavailable('contended', error)
      }
    }
  }

  async read(sql: string, values?: readonly Value[]): Promise<Row[]> {
    await this.#ready()
    return this.#connections.read(sql, values)
  }

  /** Until it has succeeded once, each use tries. */
  #ready(): Promise<void> {
    this.#prepared ??= this.prepare().catch((error: unknown) => {
      this.#prepared = undefined
      throw error
    })
    return this.#prepared
  }

  /** Rows are freed by the vacuum of the server. */
  forgetDeleted(): void {}

  async rebuildIndex(name: string): Promise<void> {
    await this.#ready()
    // An interrupted rebuild leaves a half index behind.
    await this.#connections.maintain([
      `drop index if exists ${name}_ccnew`,
      `reindex index concurrently ${name}`,
    ])
  }

  close(): Promise<void> {
    return this.#connections.close()
  }
}

/** Reads a database of this schema, an older one or none as it was at one moment, while others write to it. */
export async function readServerSnapshot<T>(
  url: string,
  work: (source: Pick<Engine, 'read'>, schema: DatabaseSchema) => Promise<T>,
): Promise<T> {
  const connections = new Connections(url, commandDeadlineMs)
  try {
    const schema = await readServerSchema(connections).catch((error: unknown) => {
      throw explainPostgresFault(error, url) ?? new StoreRefused(whyAway(error, url))
    })
    dueMigrations(schema.migrations, 'postgres')
    return await connections.snapshot((source) => work(source, schema))
  } finally {
    await connections.close()
  }
}

const oldestServer = 15
/** A migration of a large table takes long, and other nodes wait for it. */
const migrationDeadlineMs = 10 * 60_000
/** Any number that no other program uses for an advisory lock in this database. */
const migrationLock = 7_203_417

type Server = Pick<Connections, 'read' | 'run' | 'alone'>
type Prepare = Omit<PostgresOptions, 'url' | 'forCommand'>

/** Refuses an old server or a schema of another program, and runs the migrations that are due. */
export async function prepareDatabase(server: Server, prepare: Prepare): Promise<void> {
  const { migrations, columns } = await readServerSchema(server)
  const isDue = dueMigrations(migrations, 'postgres').length > 0
  if (!isDue && addFieldColumns(columns).length === 0) return
  if (prepare.toRead) throw new StoreRefused(olderSchema)
  // When several nodes start together, one looks, makes the backup and migrates; the others wait.
  await server.alone(migrationLock, () => migrateOnce(server, prepare))
}

async function migrateOnce(server: Server, prepare: Prepare): Promise<void> {
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
      // A migration may have made the column.
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

/** Refuses an old server. */
async function readServerSchema(server: Pick<Server, 'read'>): Promise<DatabaseSchema> {
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
  // Every column: the table of an earlier commit has others.
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
