/** Connections to PostgreSQL: transactions and questions, each with a deadline. */
import pg, { type PoolClient } from 'pg'
import {
  StorageUnavailable,
  type Engine,
  type Result,
  type Row,
  type Statement,
  type Value,
} from './engine.ts'
import { postgresFault } from './postgres-faults.ts'

/** A commit that takes longer is reported as failed, though it may still succeed. */
export const commitDeadlineMs = 1_500
const readDeadlineMs = 5_000
const maintenanceMs = 60 * 60_000

/** Every method rejects with `StorageUnavailable` where the statements are not at fault. */
export class Connections implements Pick<Engine, 'run' | 'read' | 'close'> {
  readonly #pool: pg.Pool
  readonly #commitMs: number
  readonly #readMs: number

  constructor(url: string, commitMs = commitDeadlineMs) {
    this.#commitMs = commitMs
    this.#readMs = Math.max(commitMs, readDeadlineMs)
    this.#pool = new pg.Pool({
      connectionString: withCheckedServer(url),
      max: 10,
      // Counts the wait for one of the ten, too.
      connectionTimeoutMillis: commitMs,
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

  /** One transaction, synced before it is acknowledged. */
  run(batch: readonly Statement[], deadlineMs = this.#commitMs): Promise<Result[]> {
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

  /** With a longer deadline. */
  read(sql: string, values: readonly Value[] = []): Promise<Row[]> {
    return this.#withClient(this.#readMs, (client) => readRows(client, sql, values))
  }

  /** Statements that may take long, each by itself: some cannot be part of a transaction. */
  maintain(texts: readonly string[]): Promise<void> {
    return this.#withClient(maintenanceMs, async (client) => {
      for (const text of ['set statement_timeout = 0', ...texts]) await client.query(text)
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
