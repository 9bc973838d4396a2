/** Connections to PostgreSQL. A transaction takes one round trip and has a deadline. */
import pg from 'pg'
import type { PoolClient, QueryResult } from 'pg'
import { StorageUnavailable } from './engine.ts'
import type { Row, Value } from './engine.ts'
import { postgresFault } from './postgres-faults.ts'
import { askTogether } from './postgres-questions.ts'

/** With a name it is a prepared statement, parsed once per connection. */
export type Query = { text: string; values?: readonly Value[]; name?: string }
export type QueryAnswer = { rows: Row[]; count: number }

export type Connections = {
  /** Rejects with `StorageUnavailable` if the statements are not at fault. */
  transact(queries: readonly Query[], deadlineMs?: number): Promise<QueryAnswer[]>
  /** One statement, which is a transaction by itself. */
  commit(query: Query): Promise<QueryAnswer>
  /** For reading, with a longer deadline. What is asked at one moment is answered in that order. */
  ask(query: Query): Promise<QueryAnswer>
  /** Statements that may take long, each by itself: some cannot be part of a transaction. */
  maintain(texts: readonly string[]): Promise<void>
  /** One at a time among all nodes: the others wait, as long as it takes. */
  alone<T>(lock: number, work: () => Promise<T>): Promise<T>
  /** All that is asked within sees the database as it was at one moment. */
  snapshot<T>(work: (ask: (query: Query) => Promise<QueryAnswer>) => Promise<T>): Promise<T>
  close(): Promise<void>
}

/** Past this a commit is reported as failed, though it may still succeed. */
const commitDeadlineMs = 1_500
const readDeadlineMs = 5_000
const longestConnectMs = 10_000
const maintenanceMs = 60 * 60_000

export function openConnections(url: string, commitMs = commitDeadlineMs): Connections {
  const readMs = Math.max(commitMs, readDeadlineMs)
  const pool = new pg.Pool({
    connectionString: withCheckedServer(url),
    max: 10,
    pipeline: true,
    connectionTimeoutMillis: Math.min(commitMs, longestConnectMs),
    idleTimeoutMillis: 30_000,
    keepAlive: true,
    // The server's deadline is later than ours, and releases the locks of a lost connection.
    statement_timeout: readMs,
    idle_in_transaction_session_timeout: readMs,
    application_name: 'lead-intake',
    types: { getTypeParser },
  })
  // Without listeners, the error of an idle connection would end the process. A query gets its own.
  pool.on('error', () => {})
  pool.on('connect', (client) => {
    client.on('error', () => {})
    // Compiling takes longer than any question of ours. A failure shows in the next statement.
    client.query('set jit = off').catch(() => {})
  })

  return {
    transact: (queries, deadlineMs = commitMs) =>
      withClient(deadlineMs, (client) => transact(client, queries)),
    commit: (query) => withClient(commitMs, async (client) => toAnswer(await send(client, query))),
    ask: askTogether((queries: readonly Query[]) =>
      withClient(readMs, (client) => sendAll(client, queries)),
    ),
    maintain: (texts) =>
      withClient(maintenanceMs, async (client) => {
        for (const text of ['set statement_timeout = 0', ...texts]) await client.query(text)
        await client.query(`set statement_timeout = ${readMs}`)
      }),
    // A lock of a transaction, for a pooler may give each transaction another connection.
    alone: (lock, work) =>
      withClient(maintenanceMs, async (client) => {
        await client.query('begin')
        await client.query('set local statement_timeout = 0')
        await client.query('set local idle_in_transaction_session_timeout = 0')
        await client.query(`select pg_advisory_xact_lock(${lock})`)
        try {
          return await work()
        } finally {
          await client.query('commit')
        }
      }),
    snapshot: (work) =>
      withClient(maintenanceMs, async (client) => {
        await client.query('begin isolation level repeatable read read only')
        await client.query('set local statement_timeout = 0')
        await client.query('set local idle_in_transaction_session_timeout = 0')
        const result = await work(async (query) => toAnswer(await send(client, query)))
        await client.query('commit')
        return result
      }),
    close: () => pool.end(),
  }

  async function withClient<T>(deadlineMs: number, work: (client: PoolClient) => Promise<T>) {
    try {
      const client = await pool.connect()
      return await beforeDeadline(client, deadlineMs, work)
    } catch (error) {
      const reason = postgresFault(error)
      if (reason === undefined || error instanceof StorageUnavailable) throw error
      throw new StorageUnavailable(reason, error)
    }
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

/** Drops a connection that failed or missed the deadline. */
async function beforeDeadline<T>(
  client: PoolClient,
  deadlineMs: number,
  work: (client: PoolClient) => Promise<T>,
): Promise<T> {
  let late = false
  const timer = setTimeout(() => {
    late = true
    client.connection.stream.destroy()
  }, deadlineMs)
  let broken = true
  try {
    const result = await work(client)
    broken = false
    return result
  } catch (error) {
    broken = postgresFault(error) !== undefined
    throw late ? new StorageUnavailable('slow') : error
  } finally {
    clearTimeout(timer)
    client.release(broken)
  }
}

/** Rejects if the connection is at fault; one statement that is at fault fails alone. */
async function sendAll(client: PoolClient, queries: readonly Query[]) {
  const { stream } = client.connection
  stream.cork()
  const sent = queries.map(async (query) => toAnswer(await send(client, query)))
  stream.uncork()
  const outcomes = await Promise.allSettled(sent)
  for (const outcome of outcomes) {
    if (outcome.status === 'rejected' && postgresFault(outcome.reason) !== undefined) {
      throw outcome.reason
    }
  }
  return outcomes
}

/**
 * In a transaction: it is synced before it is acknowledged, though role, database or server say
 * otherwise. `remote_apply`, which asks for more, stays.
 */
export const syncCommit = `set_config('synchronous_commit',
  case current_setting('synchronous_commit') when 'remote_apply' then 'remote_apply' else 'on' end, true)`

/** After a failure the server skips the rest, and `commit` rolls back. */
async function transact(client: PoolClient, queries: readonly Query[]): Promise<QueryAnswer[]> {
  const { stream } = client.connection
  stream.cork()
  const sent = [
    client.query(`begin; select ${syncCommit}`),
    ...queries.map((query) => send(client, query)),
  ]
  const commit = client.query('commit')
  stream.uncork()
  const outcomes = await Promise.allSettled([...sent, commit])
  const failure = outcomes.find((outcome) => outcome.status === 'rejected')
  if (failure !== undefined) throw failure.reason
  const [, ...results] = outcomes.map((outcome) => (outcome as { value: QueryResult }).value)
  return results.slice(0, -1).map(toAnswer)
}

function send(client: PoolClient, { text, values, name }: Query): Promise<QueryResult<Row>> {
  return client.query({
    text,
    ...(values && { values: values as Value[] }),
    ...(name !== undefined && { name }),
  })
}

function toAnswer({ rows, rowCount }: QueryResult<Row>): QueryAnswer {
  return { rows, count: rowCount ?? 0 }
}

const bigint: number = pg.types.builtins.INT8

/** All our numbers are below 2^53; by default pg returns bigint as text. */
function getTypeParser(oid: number, format?: 'text' | 'binary') {
  return oid === bigint ? Number : pg.types.getTypeParser(oid, format)
}
