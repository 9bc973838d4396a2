/** The PostgreSQL engine: each batch is one transaction, each question a statement, all with a deadline. */
import pg, { type PoolClient } from 'pg'
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
import { addFieldColumns, dueMigrations, olderSchema } from './migrations.ts'
import { explainPostgresFault, postgresFault, wasCrossed, whyAway } from './postgres-faults.ts'
import { prepareDatabase, readServerSchema, type PrepareOptions } from './postgres-schema.ts'

/** A commit that takes longer is reported as failed, though it may still succeed. */
export const commitDeadlineMs = 1_500
const commandDeadlineMs = 60_000
const readDeadlineMs = 5_000
const maintenanceMs = 60 * 60_000
const triesWhenCrossed = 5

export type PostgresOptions = PrepareOptions & {
  url: string
  /** Waits longer, and refuses in a sentence while the server is away: a command has no journal. */
  forCommand?: true
}

/** Every method rejects with `StorageUnavailable` where the statements are not at fault. */
export class PostgresEngine implements Engine {
  readonly dialect = 'postgres'
  readonly #options: PostgresOptions
  readonly #pool: pg.Pool
  readonly #commitMs: number
  readonly #readMs: number

  constructor(options: PostgresOptions) {
    this.#options = options
    this.#commitMs = options.forCommand ? commandDeadlineMs : commitDeadlineMs
    this.#readMs = Math.max(this.#commitMs, readDeadlineMs)
    this.#pool = new pg.Pool({
      connectionString: withCheckedServer(options.url),
      max: 10,
      // Counts the wait for one of the ten, too.
      connectionTimeoutMillis: this.#commitMs,
      idleTimeoutMillis: 30_000,
      keepAlive: true,
      // The server's deadline is later than ours, and releases the locks of a lost connection.
      statement_timeout: this.#readMs,
      idle_in_transaction_session_timeout: this.#readMs,
      application_name: 'lead-intake',
      types: { getTypeParser },
    })
    // Without listeners, the error of an idle connection would end the process. A query gets its own.
    this.#pool.on('error', () => {})
    this.#pool.on('connect', (client) => {
      client.on('error', () => {})
      // Compiling takes longer than any question of ours. A failure shows in the next statement.
      client.query('set jit = off').catch(() => {})
    })
  }

  /** Before the first use: looks at server and schema, and migrates. True: the schema was older. */
  async prepare(): Promise<boolean> {
    const { url, forCommand } = this.#options
    try {
      return await prepareDatabase(this, this.#options)
    } catch (error) {
      const refused = explainPostgresFault(error, url)
      throw refused ?? (forCommand ? new StoreRefused(whyAway(error, url)) : error)
    }
  }

  /** A transaction that another one has crossed is run again. */
  async run(batch: readonly Statement[], deadlineMs = this.#commitMs): Promise<readonly Result[]> {
    const startedAt = performance.now()
    for (let triesLeft = triesWhenCrossed; ; triesLeft -= 1) {
      try {
        const results = await this.#commit(batch, deadlineMs)
        commitSeconds.note((performance.now() - startedAt) / 1000)
        return results
      } catch (error) {
        if (!wasCrossed(error)) throw error
        if (triesLeft === 0) throw new StorageUnavailable('contended', error)
      }
    }
  }

  /** One transaction, synced before it is acknowledged. */
  #commit(batch: readonly Statement[], deadlineMs: number): Promise<Result[]> {
    return this.#withClient(deadlineMs, async (client) => {
      await client.query(`begin; select ${syncCommit}`)
      try {
        const results: Result[] = []
        for (const [sql, values] of batch) {
          const { rows, rowCount } = await client.query<Row>(sql, toPg(values))
          results.push(returnsRows(sql) ? rows : (rowCount ?? 0))
        }
        await client.query('commit')
        return results
      } catch (error) {
        await client.query('rollback')
        throw error
      }
    })
  }

  /** With a longer deadline than a commit. */
  read(sql: string, values: readonly Value[] = []): Promise<Row[]> {
    return this.#withClient(this.#readMs, (client) => readRows(client, sql, values))
  }

  /** Rows are freed by the vacuum of the server. */
  forgetDeleted(): void {}

  /** Each statement by itself: some cannot be part of a transaction. */
  rebuildIndex(name: string): Promise<void> {
    return this.#withClient(maintenanceMs, async (client) => {
      await client.query('set statement_timeout = 0')
      // An interrupted rebuild leaves a half index behind.
      await client.query(`drop index if exists ${name}_ccnew`)
      await client.query(`reindex index concurrently ${name}`)
      await client.query(`set statement_timeout = ${this.#readMs}`)
    })
  }

  /** One at a time among all nodes: the others wait, as long as it takes. */
  alone<T>(lock: number, work: () => Promise<T>): Promise<T> {
    return this.#withClient(maintenanceMs, async (client) => {
      // A lock of a transaction, for a pooler may give each transaction another connection.
      await client.query(`begin; ${noTimeouts}`)
      await client.query(`select pg_advisory_xact_lock(${lock})`)
      try {
        return await work()
      } finally {
        await client.query('commit')
      }
    })
  }

  /** All that is read within is of one moment. */
  snapshot<T>(work: (source: Pick<Engine, 'read'>) => Promise<T>): Promise<T> {
    return this.#withClient(maintenanceMs, async (client) => {
      await client.query(`begin isolation level repeatable read read only; ${noTimeouts}`)
      const result = await work({ read: (sql, values = []) => readRows(client, sql, values) })
      await client.query('commit')
      return result
    })
  }

  close(): Promise<void> {
    return this.#pool.end()
  }

  /** Drops a connection that failed or missed the deadline. */
  async #withClient<T>(deadlineMs: number, work: (client: PoolClient) => Promise<T>): Promise<T> {
    let client: PoolClient | undefined
    try {
      client = await this.#pool.connect()
      const result = await beforeDeadline(deadlineMs, work(client))
      client.release()
      return result
    } catch (error) {
      const reason = postgresFault(error)
      client?.release(reason !== undefined)
      if (reason === undefined || error instanceof StorageUnavailable) throw error
      throw new StorageUnavailable(reason, error)
    }
  }
}

/** Reads a database as it was at one moment, while others write to it. Refuses an older schema. */
export async function readServerSnapshot<T>(
  url: string,
  work: (source: Pick<Engine, 'read'>, isEmpty: boolean) => Promise<T>,
): Promise<T> {
  const server = new PostgresEngine({ url, nowMs: 0, forCommand: true })
  try {
    const { migrations, columns } = await readServerSchema(server).catch((error: unknown) => {
      throw explainPostgresFault(error, url) ?? new StoreRefused(whyAway(error, url))
    })
    const isDue = dueMigrations(migrations, 'postgres').length + addFieldColumns(columns).length > 0
    const isEmpty = migrations.length === 0
    if (isDue && !isEmpty) throw new StoreRefused(olderSchema)
    return await server.snapshot((source) => work(source, isEmpty))
  } finally {
    await server.close()
  }
}

/** Rejects as `slow` after the deadline. The work goes on, and nobody hears of its result. */
export async function beforeDeadline<T>(deadlineMs: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    // A turn later: if this thread was held up, the answer is there but not read yet.
    const giveUp = () => setImmediate(() => reject(new StorageUnavailable('slow')))
    timer = setTimeout(giveUp, deadlineMs)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}

/**
 * Any request for TLS checks the server's certificate. pg does so too, but warns that a later version
 * will not; `verify-full` keeps its meaning.
 */
function withCheckedServer(url: string): string {
  if (url.includes('uselibpqcompat=true')) return url
  return url.replace(/(?<=[?&]sslmode=)(prefer|require|verify-ca)(?=&|$)/, 'verify-full')
}

/**
 * In a transaction: it is synced before it is acknowledged, though role, database or server say
 * otherwise. `remote_apply`, which asks for more, stays.
 */
const syncCommit = `set_config('synchronous_commit',
  case current_setting('synchronous_commit') when 'remote_apply' then 'remote_apply' else 'on' end, true)`

const noTimeouts = `set local statement_timeout = 0; set local idle_in_transaction_session_timeout = 0`

async function readRows(client: PoolClient, sql: string, values: readonly Value[]): Promise<Row[]> {
  return (await client.query<Row>(sql, toPg(values))).rows
}

/** Without values, a text may hold several statements, as a migration does. */
function toPg(values: readonly Value[]): Value[] | undefined {
  return values.length === 0 ? undefined : [...values]
}

function returnsRows(sql: string): boolean {
  return /^\s*select\b|\breturning\b/i.test(sql)
}

const bigint: number = pg.types.builtins.INT8

/** All our numbers are below 2^53; by default pg returns bigint as text. */
function getTypeParser(oid: number, format?: 'text' | 'binary') {
  return oid === bigint ? Number : pg.types.getTypeParser(oid, format)
}
