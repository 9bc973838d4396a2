/** The engine on PostgreSQL: a pool of connections, a transaction for each batch, and a deadline for each call. */
import { hash } from 'node:crypto'
import pg, { type PoolClient } from 'pg'
import { commits } from '../../metrics/metrics.ts'
import {
  beforeDeadline,
  isUnmet,
  StorageUnavailable,
  StoreRefused,
  type Engine,
  type Result,
  type Row,
  type Statement,
  type Value,
} from '../engine/engine.ts'
import {
  commandConnectMs,
  explainPostgresFault,
  lacksNames,
  postgresFault,
  wasCrossed,
  whyAway,
} from './faults.ts'
import { serviceName } from './copy.ts'
import { prepareDatabase, type Migrates } from './schema.ts'

/** A commit that takes longer is reported as failed, though it may still succeed. */
export const commitDeadlineMs = 1_500
const commandDeadlineMs = 60_000
const readDeadlineMs = 5_000
const maintenanceMs = 60 * 60_000
const triesWhenCrossed = 5

/** A command (`migrates` is not `all`) waits longer than a service, because it has no journal. */
export class PostgresEngine implements Engine {
  readonly dialect = 'postgres'
  readonly #url: string
  readonly #migrates: Migrates
  readonly #pool: pg.Pool
  readonly #commitMs: number
  readonly #readMs: number
  /** Whether the server plans a statement once for each connection. Some poolers cannot do this. */
  #isNaming = true

  constructor(url: string, migrates: Migrates = 'all', own: pg.PoolConfig = {}) {
    this.#url = url
    this.#migrates = migrates
    this.#commitMs = migrates === 'all' ? commitDeadlineMs : commandDeadlineMs
    this.#readMs = Math.max(this.#commitMs, readDeadlineMs)
    this.#pool = new pg.Pool({
      connectionString: withCheckedServer(url),
      max: 10,
      // Includes the wait for a free connection of the pool.
      connectionTimeoutMillis: Math.min(this.#commitMs, commandConnectMs),
      idleTimeoutMillis: 30_000,
      keepAlive: true,
      pipeline: true,
      application_name: migrates === 'all' ? serviceName : `${serviceName} command`,
      types: { getTypeParser },
      ...own,
    })
    // Without listeners, an error of an idle connection would end the process.
    this.#pool.on('error', () => {})
    this.#pool.on('connect', (client) => {
      client.on('error', () => {})
      // Set after connecting, because poolers refuse settings that come with the connection. JIT
      // takes longer than any of our queries. If this fails, the next statement reports why.
      client.query(`set jit = off; ${timeouts('set', this.#readMs)}`).catch(() => {})
    })
  }

  async prepare(): Promise<boolean> {
    try {
      return await prepareDatabase(this, this.#migrates)
    } catch (error) {
      const refused = explainPostgresFault(error, this.#url)
      if (refused !== undefined) throw refused
      throw this.#migrates === 'all' ? error : new StoreRefused(whyAway(error, this.#url))
    }
  }

  async run(batch: readonly Statement[], deadlineMs = this.#commitMs): Promise<readonly Result[]> {
    for (let triesLeft = triesWhenCrossed; ; triesLeft -= 1) {
      try {
        return await this.#commit(batch, deadlineMs)
      } catch (error) {
        if (lacksNames(error)) this.#isNaming = false
        else if (!wasCrossed(error)) throw error
        if (triesLeft === 0) throw new StorageUnavailable('contended', error)
      }
    }
  }

  /** All statements are sent at once (`pipeline`). `commit` waits until each of them has succeeded. */
  #commit(batch: readonly Statement[], deadlineMs: number): Promise<Result[]> {
    return this.#withClient(deadlineMs, async (client) => {
      // A pooler may give each transaction a connection that has none of our settings.
      await client.query(`begin; ${timeouts('set local', this.#readMs)}; select ${syncCommit}`)
      try {
        const results = await allDone(batch.map((statement) => this.#send(client, statement)))
        const isDone = !batch.some((statement, index) => isUnmet(statement, results[index]!))
        await client.query(isDone ? 'commit' : 'rollback')
        if (isDone) commits.add()
        return isDone ? results : []
      } catch (error) {
        await client.query('rollback')
        throw error
      }
    })
  }

  async #send(client: PoolClient, [sql, values]: Statement): Promise<Result> {
    const returns = returnsRows(sql)
    // A newer node may add a column, and the plan of a named `returning *` would then fail.
    const name = this.#isNaming && !returns && values.length > 0 ? nameOf(sql) : undefined
    const { rows, rowCount } = await client.query<Row>({
      ...(name !== undefined && { name }),
      text: sql,
      values: toPg(values),
    })
    return returns ? rows : (rowCount ?? 0)
  }

  read(sql: string, values: readonly Value[] = []): Promise<Row[]> {
    return this.#withClient(this.#readMs, (client) => readRows(client, sql, values))
  }

  /** Does nothing, because the server's vacuum frees deleted rows. */
  forgetDeleted(): void {}

  /** All reads of `work` see the database as it was at one moment. */
  snapshot<T>(work: (source: Pick<Engine, 'read'>) => Promise<T>): Promise<T> {
    return this.#withClient(maintenanceMs, async (client) => {
      await client.query(
        `begin isolation level repeatable read read only; ${timeouts('set local', 0)}`,
      )
      const result = await work({ read: (sql, values = []) => readRows(client, sql, values) })
      await client.query('commit')
      return result
    })
  }

  close(): Promise<void> {
    return this.#pool.end()
  }

  /** Closes the connection if the server or the connection failed, or the deadline has passed. */
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

/** pg treats these values of `sslmode` like `verify-full` now, but warns that a later version will not. So `verify-full` is written out. */
function withCheckedServer(url: string): string {
  if (url.includes('uselibpqcompat=true')) return url
  return url.replace(/(?<=[?&]sslmode=)(prefer|require|verify-ca)(?=&|$)/, 'verify-full')
}

/** Makes the server sync before it acknowledges a commit. `remote_apply` stays, because it guarantees more. */
const syncCommit = `set_config('synchronous_commit',
  case current_setting('synchronous_commit') when 'remote_apply' then 'remote_apply' else 'on' end, true)`

/** The server ends the transaction of a lost connection after this time, to free its locks; 0: never. */
function timeouts(set: 'set' | 'set local', ms: number): string {
  return `${set} statement_timeout = ${ms}; ${set} idle_in_transaction_session_timeout = ${ms}`
}

/** Waits for all, because the connection is not free before. Then throws the first error. */
async function allDone<T>(works: readonly Promise<T>[]): Promise<T[]> {
  const ends = await Promise.allSettled(works)
  const failed = ends.find((end) => end.status === 'rejected')
  if (failed !== undefined) throw failed.reason
  return Promise.all(works)
}

const names = new Map<string, string>()

/** The same text has the same name in every process, because a pooler lets them share connections. */
function nameOf(sql: string): string {
  let name = names.get(sql)
  if (name === undefined) names.set(sql, (name = hash('sha256', sql).slice(0, 32)))
  return name
}

async function readRows(client: PoolClient, sql: string, values: readonly Value[]): Promise<Row[]> {
  return (await client.query<Row>(sql, toPg(values))).rows
}

/** pg accepts several statements in one text, as in a migration, only without values. */
function toPg(values: readonly Value[]): Value[] | undefined {
  return values.length === 0 ? undefined : [...values]
}

function returnsRows(sql: string): boolean {
  return /^\s*select\b|\breturning\b/i.test(sql)
}

const bigint: number = pg.types.builtins.INT8

/** pg returns bigint as text, but all our numbers are below 2^53. */
function getTypeParser(oid: number, format?: 'text' | 'binary') {
  return oid === bigint ? Number : pg.types.getTypeParser(oid, format)
}
