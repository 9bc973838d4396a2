/** A database for one test on a PostgreSQL server. */
import pg from 'pg'
import type { Engine } from '../../src/store/engine/engine.ts'
import { PostgresEngine } from '../../src/store/engine/postgres.ts'

/** A new, empty database. */
export type TestDatabase = {
  /** As DATABASE_URL takes it. */
  url: string
  open(nowMs: number): Engine
  /** Behind the back of the service. Several statements may follow each other. */
  execute(sql: string): Promise<Record<string, unknown>[]>
}

/** A schema of its own in the server's database: made in a few milliseconds, gone with the server. */
export function newPostgresDatabase(server: string): TestDatabase & {
  /** Runs it in a transaction that stays open until it is let go. */
  hold(sql: string): Promise<() => Promise<void>>
} {
  const schema = `test_${process.pid}_${(databases += 1)}`
  const url = `${server}&options=${encodeURIComponent(`-c search_path=${schema}`)}`
  const made = ask(server, `create schema ${schema}`)
  return {
    url,
    // With the deadlines of a command: no commit fails because the machine is slow.
    open: (nowMs) => openLater(made.then(() => openPrepared(url, nowMs))),
    execute: (sql) => made.then(() => ask(url, sql)),
    async hold(sql) {
      await made
      const client = new pg.Client(url)
      await client.connect()
      await client.query(`begin; ${sql}`)
      return () => client.end()
    },
  }
}

/** The whole server, and at once: the nodes lose their connections. */
export async function setReadOnly({ execute }: TestDatabase, value: 'on' | 'off'): Promise<void> {
  await execute(
    `set transaction read write; alter database postgres set default_transaction_read_only = ${value}`,
  )
  await execute(
    `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'lead-intake'`,
  )
}

async function openPrepared(url: string, nowMs: number): Promise<Engine> {
  const engine = new PostgresEngine({ url, nowMs, forCommand: true })
  await engine.prepare().catch(async (error: unknown) => {
    await engine.close()
    throw error
  })
  return engine
}

let databases = 0

async function ask(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client(url)
  await client.connect()
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows
  } finally {
    await client.end()
  }
}

function openLater(opening: Promise<Engine>): Engine {
  return {
    dialect: 'postgres',
    run: async (batch) => (await opening).run(batch),
    read: async (sql, values) => (await opening).read(sql, values),
    forgetDeleted: () => void opening.then((engine) => engine.forgetDeleted()),
    rebuildIndex: async (name) => (await opening).rebuildIndex(name),
    close: async () => (await opening.catch(() => {}))?.close(),
  }
}
