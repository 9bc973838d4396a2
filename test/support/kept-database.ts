/**
 * Migrated databases on PostgreSQL. Each serves one test after the other: rows leave, and connections stay, because
 * a new one costs the server more than most tests do.
 */
import pg from 'pg'
import { StorageUnavailable, type Engine } from '../../src/store/engine/engine.ts'
import { PostgresEngine } from '../../src/store/postgres/postgres-engine.ts'
import type { TestDatabase } from './engines.ts'
import type { Cleaner } from './service.ts'
import { patienceMs, until } from './until.ts'

/** Ready for the next test, as soon as they are emptied. */
const free: KeptDatabase[] = []
const inUse = new Map<string, KeptDatabase>()

export function takeMigrated(t: Cleaner, server: string): TestDatabase {
  const database = free.pop() ?? new KeptDatabase(server)
  inUse.set(database.url, database)
  t.after(() => {
    inUse.delete(database.url)
    free.push(database)
  })
  database.begin()
  return {
    url: database.url,
    open: () => database.open(),
    execute: (sql) => database.execute(sql),
  }
}

/** An engine in place of one that the test would open at this URL, with connections of its own. */
export function openKept(url: string | undefined): Engine | undefined {
  return inUse.get(url ?? '')?.open()
}

const name = 'lead-intake test'
/** No process lasts for these connections, and no test fails because it waits for one. */
const lasting: pg.PoolConfig = {
  max: 3,
  idleTimeoutMillis: 0,
  connectionTimeoutMillis: patienceMs,
  allowExitOnIdle: true,
  application_name: name,
}

let databases = 0

class KeptDatabase {
  readonly url: string
  readonly #server: string
  #name = ''
  #admin: pg.Pool | undefined
  /** As many as a test had open at a time. */
  #engines: PostgresEngine[] = []
  /** What a test has open, at the places of `#engines`. */
  readonly #lent: (Lent | undefined)[] = []
  #isReady: Promise<void> = Promise.resolve()

  constructor(server: string) {
    this.#server = server
    this.#name = `test_${process.pid}_${(databases += 1)}`
    this.url = urlOf(server, this.#name)
  }

  /** For the next test. */
  begin(): void {
    this.#isReady = this.#admin === undefined ? this.#copy() : this.#empty()
    // Who waits for it hears why it failed.
    this.#isReady.catch(() => {})
  }

  open(): Engine {
    const firstFree = this.#lent.indexOf(undefined)
    const place = firstFree === -1 ? this.#lent.length : firstFree
    const opening = this.#isReady.then(async () => {
      const engine = (this.#engines[place] ??= new PostgresEngine(this.url, 'empty', lasting))
      await engine.prepare()
      return engine
    })
    const lent = new Lent(opening, () => (this.#lent[place] = undefined))
    this.#lent[place] = lent
    return lent.engine
  }

  async execute(sql: string): Promise<Record<string, unknown>[]> {
    await this.#isReady
    return (await this.#admin!.query<Record<string, unknown>>(sql)).rows
  }

  async #copy(): Promise<void> {
    const { server, original } = await (template ??= makeTemplate(this.#server))
    // The other strategy writes each page to the log.
    await server.query(`create database ${this.#name} template ${original} strategy file_copy`)
    this.#admin = poolOf(this.url)
  }

  /** Ends what the last test left, so that nobody writes any more, and deletes all rows. */
  async #empty(): Promise<void> {
    // Closed before the next test opens one.
    await Promise.all(this.#lent.map(async (lent) => lent?.engine.close()))
    const { server, tables, schema } = await template!
    await this.#admin!.query(endOthers)
    const found = await this.#admin!.query<{ schema: string }>(schemaNow).catch(() => undefined)
    if (found?.rows[0]?.schema === schema) {
      await this.#admin!.query(tables.map((table) => `delete from ${table}`).join('; '))
      return
    }
    await Promise.all([this.#admin!.end(), ...this.#engines.map((engine) => engine.close())])
    this.#engines = []
    await server.query(`drop database ${this.#name} with (force)`)
    await this.#copy()
  }
}

const endOthers = `select pg_terminate_backend(pid, ${patienceMs}) from pg_stat_activity
  where datname = current_database() and application_name <> '${name}'`

/** Differs after every change of a table, and of the list of migrations: a row of a catalogue knows who wrote it. */
const schemaNow = `select concat_ws(' ',
  (select sum(xmin::text::bigint) from pg_class where oid >= 16384),
  (select sum(xmin::text::bigint) from pg_attribute where attrelid >= 16384),
  (select string_agg(migration::text, ' ' order by name) from migration)) as schema`

/** An engine that a test closes, and that stays open for the next one. */
class Lent {
  readonly engine: Engine
  readonly #calls = new Set<Promise<unknown>>()
  #isClosed = false

  constructor(opening: Promise<PostgresEngine>, end: () => void) {
    const call = <T>(work: (engine: PostgresEngine) => Promise<T>): Promise<T> => {
      if (this.#isClosed) return Promise.reject(new StorageUnavailable('closed'))
      const running = opening.then(work)
      this.#calls.add(running)
      return running.finally(() => this.#calls.delete(running))
    }
    // Who calls it hears why it cannot be opened.
    opening.catch(() => {})
    this.engine = {
      dialect: 'postgres',
      run: (batch, deadlineMs) => call((engine) => engine.run(batch, deadlineMs)),
      read: (sql, values) => call((engine) => engine.read(sql, values)),
      forgetDeleted() {},
      close: async () => {
        if (this.#isClosed) return
        this.#isClosed = true
        await Promise.allSettled([opening, ...this.#calls])
        end()
      },
    }
  }
}

type Template = { server: pg.Pool; original: string; tables: string[]; schema: string }
let template: Promise<Template> | undefined

/** Copying it takes a tenth of the time of the migrations. */
async function makeTemplate(url: string): Promise<Template> {
  const original = `migrated_${process.pid}`
  const server = poolOf(url)
  await server.query(`create database ${original}`)
  const migrated = new PostgresEngine(urlOf(url, original), 'empty')
  await migrated.prepare()
  const tables = await migrated.read(
    `select relname as name, pg_relation_size(oid) as bytes from pg_class
     where relkind = 'r' and relnamespace = 'public'::regnamespace and relname <> 'migration'`,
  )
  const full = tables.find(({ bytes }) => bytes !== 0)
  if (full !== undefined) throw new Error(`a new database has rows in ${full['name']}`)
  const [now] = await migrated.read(schemaNow)
  await migrated.close()
  // A database is copied only while nobody is connected to it.
  const connections = `select 1 from pg_stat_activity where datname = '${original}'`
  await until(async () => (await server.query(connections)).rowCount === 0, 'all have left')
  const names = tables.map((table) => String(table['name']))
  return { server, original, tables: names, schema: String(now!['schema']) }
}

function poolOf(url: string): pg.Pool {
  const pool = new pg.Pool({ connectionString: url, ...lasting, max: 1 })
  pool.on('error', () => {})
  return pool
}

function urlOf(server: string, database: string): string {
  const url = new URL(server)
  url.pathname = database
  return url.href
}
