/**
 * The SQLite engine. Group commit is self-clocked: whatever waits while a commit runs is the next
 * group. No timer, so a lone lead never waits for company.
 */
import type { Worker } from 'node:worker_threads'
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { StorageUnavailable } from './engine.ts'
import type { Engine, Result, Row, Statement, Value } from './engine.ts'
import { openToRead, prepareFile, storageFault, toSqlite } from './sqlite-file.ts'
import type { Group, GroupDone, Outcome } from './sqlite-writer.ts'
import { startWriterThread } from './writer-thread.ts'

const maxGroup = 512
const maxWaiting = 10_000
/** Past this a commit counts as failed for those who wait, though it may still succeed. */
const commitTimeoutMs = 5_000

export type SqliteOptions = {
  path: string
  nowMs: number
  /** `at-once` has it ready for the first lead; the default is at the first write. */
  writer?: 'at-once' | 'when-needed'
  /** For trials: every commit takes this much longer. */
  commitDelayMs?: number
}

type Waiting = {
  batch: readonly Statement[]
  resolve: (results: readonly Result[]) => void
  reject: (error: Error) => void
}

export type SqliteEngine = Engine & {
  /** Soon no page as it was before stays in the log beside the file. */
  emptyLog(): void
}

export function openSqlite(options: SqliteOptions): SqliteEngine {
  const { path, nowMs, writer = 'when-needed', commitDelayMs = 0 } = options
  prepareFile(path, nowMs)
  const reader = openReader(path)
  const numbers = new Map<string, number>()
  let worker: Worker | undefined
  let waiting: Waiting[] = []
  let inFlight: Waiting[] | undefined
  let scheduled = false
  let deadline: NodeJS.Timeout | undefined
  let closing: (() => void) | undefined
  if (writer === 'at-once') worker = startWriter()

  // Without a writer nothing was written.
  const emptyLog = () => worker?.postMessage('empty-log')
  return { soleWriter: true, run, read, emptyLog, close }

  function run(batch: readonly Statement[]): Promise<readonly Result[]> {
    if (waiting.length >= maxWaiting || deadlinePassed()) {
      return Promise.reject(new StorageUnavailable('overloaded'))
    }
    return new Promise((resolve, reject) => {
      waiting.push({ batch, resolve, reject })
      if (inFlight !== undefined || scheduled) return
      // Those who come in the same turn of the event loop share the first commit.
      scheduled = true
      setImmediate(sendGroup)
    })
  }

  async function read(sql: string, values: readonly Value[] = []): Promise<Row[]> {
    return reader.read(sql, values)
  }

  function sendGroup(): void {
    scheduled = false
    if (waiting.length === 0) {
      closing?.()
      return
    }
    inFlight = waiting.slice(0, maxGroup)
    waiting = waiting.slice(maxGroup)
    worker ??= startWriter()
    worker.postMessage(toGroup(inFlight))
    deadline = setTimeout(giveUpWaiting, commitTimeoutMs)
  }

  function toGroup(members: Waiting[]): Group {
    const group: Group = { texts: [], statements: [], values: [], lengths: [] }
    for (const { batch } of members) {
      group.lengths.push(batch.length)
      for (const [sql, values] of batch) {
        group.statements.push(numberOf(sql, group.texts))
        for (const value of values) group.values.push(value)
      }
    }
    return group
  }

  function numberOf(sql: string, newTexts: string[]): number {
    const known = numbers.get(sql)
    if (known !== undefined) return known
    const number = numbers.size
    numbers.set(sql, number)
    newTexts.push(sql)
    return number
  }

  function groupDone(done: GroupDone): void {
    clearTimeout(deadline)
    const members = inFlight!
    inFlight = undefined
    if (done.replaced) reader.forgetFile()
    if ('results' in done) settleAll(members, done.results)
    else for (const [index, outcome] of done.outcomes.entries()) settle(members[index]!, outcome)
    sendGroup()
  }

  /** The writer hangs: those who wait are told so. The group stays in flight until it answers. */
  function giveUpWaiting(): void {
    const unavailable = new StorageUnavailable('slow')
    for (const each of [...inFlight!, ...waiting]) each.reject(unavailable)
    waiting = []
    deadline = undefined
  }

  function deadlinePassed(): boolean {
    return inFlight !== undefined && deadline === undefined
  }

  function startWriter(): Worker {
    numbers.clear()
    const started = startWriterThread({ path, commitDelayMs })
    // Under `node --watch` the loader speaks on this line too.
    started.on('message', (message: GroupDone) => {
      if ('replaced' in message) groupDone(message)
    })
    started.on('error', (error) => {
      writerLost(started)
      // A fault of ours, which nobody here expects: it goes to the last resort of the process.
      setImmediate(() => {
        throw error
      })
    })
    started.on('exit', () => writerLost(started))
    return started
  }

  function writerLost(lost: Worker): void {
    if (worker !== lost) return
    worker = undefined
    if (inFlight === undefined) return
    groupDone({ outcomes: inFlight.map(() => ({ unavailable: 'writer-lost' })), replaced: false })
  }

  async function close(): Promise<void> {
    if (inFlight !== undefined || scheduled)
      await new Promise<void>((resolve) => (closing = resolve))
    if (worker !== undefined) {
      const exited = new Promise((resolve) => worker!.once('exit', resolve))
      worker.postMessage('close')
      await exited
    }
    reader.close()
  }
}

function settleAll(members: Waiting[], results: Result[]): void {
  let at = 0
  for (const { batch, resolve } of members) resolve(results.slice(at, (at += batch.length)))
}

function settle({ resolve, reject }: Waiting, outcome: Outcome): void {
  if ('results' in outcome) resolve(outcome.results)
  else if ('unavailable' in outcome) reject(new StorageUnavailable(outcome.unavailable))
  else reject(new Error(outcome.failed))
}

/** Numbers past what one can hold exactly, which we never write, are read as nearly as can be. */
function allRows(statement: StatementSync, values: readonly Value[]): Row[] {
  try {
    return statement.all(...values) as Row[]
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_OUT_OF_RANGE') throw error
    statement.setReadBigInts(true)
    try {
      return statement.all(...values).map((row) => withNumbers(row as BigRow))
    } finally {
      statement.setReadBigInts(false)
    }
  }
}

type BigRow = Readonly<Record<string, Value | bigint>>

function withNumbers(row: BigRow): Row {
  const entries = Object.entries(row).map(([name, value]) => [
    name,
    typeof value === 'bigint' ? Number(value) : value,
  ])
  return Object.fromEntries(entries) as Row
}

/** A read-only connection on the main thread, with its statements kept ready. */
function openReader(path: string) {
  let db: DatabaseSync | undefined = openToRead(path)
  let prepared = new Map<string, StatementSync>()
  const rejected: DatabaseSync[] = []

  return {
    read(sql: string, values: readonly Value[]): Row[] {
      try {
        db ??= openToRead(path)
        let statement = prepared.get(sql)
        if (statement === undefined) {
          statement = db.prepare(toSqlite(sql))
          prepared.set(sql, statement)
        }
        return allRows(statement, values)
      } catch (error) {
        const reason = storageFault(error)
        throw reason === undefined ? error : new StorageUnavailable(reason)
      }
    },
    /** The file was replaced; see the writer for why the old connection is not closed. */
    forgetFile(): void {
      if (db !== undefined) rejected.push(db)
      db = undefined
      prepared = new Map()
    },
    close(): void {
      db?.close()
    },
  }
}
