/**
 * Databases that hold nothing, for tests that are about something else. To open one takes a tenth of
 * a second of CPU: a thread for SQLite, all migrations on PostgreSQL. In a bundle of test files
 * (bundles.ts) a test therefore gets one that an earlier test has closed, and that was emptied.
 */
import { StorageUnavailable, type Engine } from '../../src/store/engine/engine.ts'
import { newDatabase, type TestDatabase } from './engines.ts'
import type { Cleaner } from './service.ts'

type Make = (t: Cleaner) => TestDatabase
type Open = { database: TestDatabase; engine: Engine }

/** Open and empty, by the function that made them. */
let shared: Map<Make, Open[]> | undefined
const opened = new Set<Engine>()
const endings: (() => unknown)[] = []

/** From now on tests use the databases of earlier ones. Returns what closes them in the end. */
export function shareDatabases(): () => Promise<void> {
  shared = new Map()
  return async () => {
    for (const engine of opened) await engine.close()
    for (const end of endings) await end()
  }
}

export function emptyDatabase(t: Cleaner, make: Make = newDatabase): TestDatabase {
  if (shared === undefined) return make(t)
  const waiting = shared.get(make) ?? []
  shared.set(make, waiting)
  const open = waiting.pop() ?? openNew(make)
  return lend(t, open, () => waiting.push(open))
}

function openNew(make: Make): Open {
  const database = make({ after: (end) => endings.push(end) })
  const engine = database.open()
  opened.add(engine)
  return { database, engine }
}

/**
 * The database is given back when the test is over and has closed it. A test that opens it twice, asks
 * for its address or goes behind the back of the service keeps it: nobody knows what is in it then.
 */
function lend(t: Cleaner, { database, engine }: Open, giveBack: () => void): TestDatabase {
  let isKept = false
  let isOver = false
  let lent: Lent | undefined
  const end = async () => {
    if (!isOver || !lent?.isClosed) return
    if (!isKept) return empty(engine).then(giveBack)
    opened.delete(engine)
    await engine.close()
  }
  t.after(() => {
    isOver = true
    return end()
  })
  return {
    get url() {
      isKept = true
      return database.url
    },
    execute(sql) {
      isKept = true
      return database.execute(sql)
    },
    open() {
      if (lent === undefined) return (lent = lendEngine(engine, end))
      isKept = true
      return database.open()
    },
  }
}

type Lent = Engine & { readonly isClosed: boolean }

/** Closing it waits for what is under way, and leaves the engine open. */
function lendEngine(engine: Engine, afterClose: () => Promise<void>): Lent {
  const running = new Set<Promise<unknown>>()
  let isClosed = false
  const ask = <T>(work: () => Promise<T>): Promise<T> => {
    if (isClosed) return Promise.reject(new StorageUnavailable('closed'))
    const asked = work()
    running.add(asked)
    const forget = () => running.delete(asked)
    asked.then(forget, forget)
    return asked
  }
  return {
    dialect: engine.dialect,
    run: (batch, deadlineMs) => ask(() => engine.run(batch, deadlineMs)),
    read: (sql, values) => ask(() => engine.read(sql, values)),
    forgetDeleted: (everywhere) => engine.forgetDeleted(everywhere),
    async close() {
      if (isClosed) return
      isClosed = true
      await Promise.allSettled(running)
      await afterClose()
    },
    get isClosed() {
      return isClosed
    },
  }
}

async function empty(engine: Engine): Promise<void> {
  const tables = await engine.read(tablesIn[engine.dialect])
  await engine.run(tables.map(({ name }) => [`delete from ${name}`, []]))
}

const tablesIn = {
  sqlite: `select name from sqlite_schema where type = 'table' and name <> 'migration'`,
  postgres: `select tablename as name from pg_tables
    where schemaname = current_schema() and tablename <> 'migration'`,
}
