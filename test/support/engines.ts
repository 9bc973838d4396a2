/**
 * The engine that this run of the tests is for: TEST_ENGINE says `sqlite` (the default) or
 * `postgres`. Which test files run on which is in test/which.ts.
 */
import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import type { Engine } from '../../src/store/engine/engine.ts'
import { openSqlite } from '../../src/store/engine/sqlite.ts'
import { prepareFile } from '../../src/store/engine/sqlite-schema.ts'
import { PostgresEngine } from '../../src/store/postgres/postgres-engine.ts'
import { Journal } from '../../src/store/postgres/journal.ts'
import type { Lead } from '../../src/store/leads/rows.ts'
import type { Store } from '../../src/store/store.ts'
import { takeMigrated } from './kept-database.ts'
import { type Cleaner, temporaryFolder } from './service.ts'
import { openPostgresServer } from './postgres.ts'
import { patienceMs, until } from './until.ts'
import { readStored, readStoredIn, type Stored } from './stored.ts'

export const onPostgres = process.env['TEST_ENGINE'] === 'postgres'

/** `inThread`: SQLite commits in a thread, as in the service, where a test is about batches or faults. */
export function newDatabase(t: Cleaner, options: { inThread?: boolean } = {}): TestDatabase {
  if (onPostgres) return takeMigrated(t, serverUrl!)
  return newSqliteDatabase(t, options)
}

const serverUrl = onPostgres
  ? (process.env['TEST_PG_URL'] ?? (await openPostgresServer()).url)
  : undefined

export function newSqliteDatabase(t: Cleaner, { inThread = false } = {}): TestDatabase {
  const path = join(temporaryFolder(t), 'leads.sqlite')
  copyFileSync(emptyFile(), path)
  return {
    url: `sqlite:${path}`,
    // No commit fails because the machine is slow.
    open: () => toParts(openSqlite({ path, inThread, commitTimeoutMs: patienceMs })),
    execute: (sql) => executeInFile(path, sql),
  }
}

let empty: string | undefined

/** A migrated file, made once: the migrations take longer than most tests. */
function emptyFile(): string {
  if (empty === undefined) {
    empty = join(temporaryFolder({ after: (end) => process.once('exit', end) }), 'empty.sqlite')
    prepareFile(empty)
  }
  return empty
}

export async function executeInFile(path: string, sql: string): Promise<Record<string, unknown>[]> {
  const { DatabaseSync } = await import('node:sqlite')
  const db = new DatabaseSync(path, { enableForeignKeyConstraints: false })
  try {
    if (/^select/i.test(sql)) return db.prepare(sql).all()
    db.exec(sql)
    return []
  } finally {
    db.close()
  }
}

/** The engine as an object that a test may spread, to replace a method by its own. */
function toParts(engine: Engine): Engine {
  return {
    dialect: engine.dialect,
    run: (batch, deadlineMs) => engine.run(batch, deadlineMs),
    read: (sql, values) => engine.read(sql, values),
    forgetDeleted: (everywhere) => engine.forgetDeleted(everywhere),
    close: () => engine.close(),
  }
}

/** A new, empty database. */
export type TestDatabase = {
  /** A value for DATABASE_URL. */
  url: string
  open(): Engine
  /** Behind the back of the service. Several statements may follow each other. */
  execute(sql: string): Promise<Record<string, unknown>[]>
}

type PostgresDatabase = TestDatabase & {
  /** Runs it in a transaction that stays open until it is let go. */
  hold(sql: string): Promise<() => Promise<void>>
}

/** A schema of its own in the server's database, without a table: made in a few milliseconds, gone with the server. */
export function newPostgresDatabase(server: string): PostgresDatabase {
  const schema = `test_${process.pid}_${(databases += 1)}`
  const url = `${server}&options=${encodeURIComponent(`-c search_path=${schema}`)}`
  return databaseAt(url, ask(server, `create schema ${schema}`))
}

function databaseAt(url: string, made: Promise<unknown>): PostgresDatabase {
  return {
    url,
    // With the deadlines of a command: no commit fails because the machine is slow.
    open: () => openLater(made.then(() => openPrepared(url))),
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

/** Sets the whole server, and counts at once: the nodes lose their connections. */
export async function setReadOnly({ execute }: TestDatabase, value: 'on' | 'off'): Promise<void> {
  await execute(
    `set transaction read write; alter database postgres set default_transaction_read_only = ${value}`,
  )
  await execute(
    `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'lead-intake'`,
  )
}

let databases = 0

// All our numbers are below 2^53; by default pg returns bigint as text.
pg.types.setTypeParser(pg.types.builtins.INT8, Number)

async function ask(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client(url)
  await client.connect()
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows
  } finally {
    await client.end()
  }
}

async function openPrepared(url: string): Promise<Engine> {
  const engine = new PostgresEngine(url, 'empty')
  await engine.prepare().catch(async (error: unknown) => {
    await engine.close()
    throw error
  })
  return engine
}

function openLater(opening: Promise<Engine>): Engine {
  return {
    dialect: 'postgres',
    run: async (batch, deadlineMs) => (await opening).run(batch, deadlineMs),
    read: async (sql, values) => (await opening).read(sql, values),
    forgetDeleted: (everywhere) => void opening.then((engine) => engine.forgetDeleted(everywhere)),
    close: async () => (await opening.catch(() => {}))?.close(),
  }
}

export async function replayed(store: Pick<Store, 'state'>): Promise<void> {
  await until(async () => {
    const { away, journal } = await store.state(Date.now())
    return away === undefined && journal?.leads === 0
  }, 'the journal is replayed')
}

/** Many statements of a test share a connection. */
async function withOneClient(t: Cleaner, database: TestDatabase): Promise<TestDatabase> {
  await database.execute('select 1')
  const client = new pg.Client(database.url)
  client.on('error', () => {})
  t.after(() => client.end())
  await client.connect()
  const execute: TestDatabase['execute'] = async (sql) => (await client.query(sql)).rows
  return { ...database, execute }
}

export type Installation = Pick<TestDatabase, 'execute'> & {
  /** The options of `startServiceProcess`. */
  place: { dataDir: string; env: Record<string, string> }
  readStored(): Promise<Stored>
}

/** With an empty database, or with one that is `migrated` where that saves time. */
export async function newInstallation(
  t: Cleaner,
  { isMigrated = false } = {},
): Promise<Installation> {
  const dataDir = temporaryFolder(t)
  if (!onPostgres) {
    const path = join(dataDir, 'leads.sqlite')
    if (isMigrated) copyFileSync(emptyFile(), path)
    return {
      place: { dataDir, env: {} },
      execute: (sql) => executeInFile(path, sql),
      readStored: () => Promise.resolve(readStored(path)),
    }
  }
  const database = isMigrated
    ? takeMigrated(t, serverUrl!)
    : await withOneClient(t, newPostgresDatabase(serverUrl!))
  await database.execute('select 1')
  return {
    place: { dataDir, env: { DATABASE_URL: database.url } },
    execute: database.execute,
    /** With the leads that wait in the journal: they are kept, too. On a busy machine there may be some. */
    async readStored() {
      const stored = await readStoredIn(database)
      const known = new Set(stored.leads.map(({ id }) => id))
      const waiting = Array.from(
        new Journal(dataDir).waiting.values(),
        ({ lead }) => lead as unknown as Lead,
      )
      return { ...stored, leads: [...stored.leads, ...waiting.filter(({ id }) => !known.has(id))] }
    },
  }
}
