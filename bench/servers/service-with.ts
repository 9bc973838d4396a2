/** Starts the service as in production, but with another store: `node service-with.ts NAME`. */
import { join } from 'node:path'
import type { StatementSync } from 'node:sqlite'
import { readSettings } from '../../src/config.ts'
import { openLog } from '../../src/log.ts'
import { startService } from '../../src/main.ts'
import type { Engine, Result, Row, Statement } from '../../src/store/engine/engine.ts'
import { openToWrite, prepareFile, toSqlite } from '../../src/store/engine/sqlite-file.ts'
import { openSqlite } from '../../src/store/engine/sqlite.ts'
import { openStore, type Store } from '../../src/store/store.ts'

const stores: Record<string, (path: string) => Store> = {
  'stubbed-store': () => stubbedStore as Store,
  'one-transaction-per-lead': (path) => openStore(openOneByOne(path)),
  'slow-commits': (path) => openStore(openSqlite({ path, commitDelayMs: 20 })),
}

/** Accepts every lead at once and stores nothing. */
const stubbedStore: Pick<Store, 'keepLead' | 'onDue' | 'noteErased' | 'probe' | 'close'> = {
  keepLead: ({ reference }) => Promise.resolve({ kind: 'kept', reference }),
  onDue() {},
  noteErased: () => Promise.resolve(),
  probe: () => Promise.resolve(),
  close: () => Promise.resolve(),
}

const read = readSettings(process.env)
if ('problems' in read) throw new Error(read.problems.join('\n'))
const { settings } = read
const store = stores[process.argv[2]!]!(join(settings.DATA_DIR, 'leads.sqlite'))
const service = await startService(settings, openLog(settings.LOG_LEVEL), store)
process.once('SIGTERM', () => void service.stop())

/** SQLite without group commit and without a writer thread. */
function openOneByOne(path: string): Engine {
  prepareFile(path)
  const db = openToWrite(path)
  const prepared = new Map<string, Prepared>()
  return {
    dialect: 'sqlite',
    forgetDeleted() {},
    run: (batch) => Promise.resolve(commit(batch)),
    read: (sql, values = []) => Promise.resolve(prepare(sql).statement.all(...values) as Row[]),
    close: () => Promise.resolve(db.close()),
  }

  function commit(batch: readonly Statement[]): Result[] {
    db.exec('begin immediate')
    const results = batch.map(runStatement)
    db.exec('commit')
    return results
  }

  function runStatement([sql, values]: Statement): Result {
    const { statement, returnsRows } = prepare(sql)
    return returnsRows
      ? (statement.all(...values) as Row[])
      : Number(statement.run(...values).changes)
  }

  function prepare(sql: string): Prepared {
    let known = prepared.get(sql)
    if (known === undefined) {
      const statement = db.prepare(toSqlite(sql))
      prepared.set(sql, (known = { statement, returnsRows: statement.columns().length > 0 }))
    }
    return known
  }
}

type Prepared = { statement: StatementSync; returnsRows: boolean }
