/**
 * The thread that commits to SQLite, so that a slow disk never delays the main thread. It answers
 * batches after the sync.
 */
import { parentPort, workerData } from 'node:worker_threads'
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { mapDense, type Result, type Row, type Statement } from './engine.ts'
import { emptyLogOf, fileIdentity, openToWrite, storageFault, toSqlite } from './sqlite-file.ts'

export type WriterData = { path: string; identity: string; commitDelayMs: number }

/** `unavailable`: the database is at fault. `failed`: the batch is at fault. */
export type BatchOutcome = { results: Result[] } | { unavailable: string } | { failed: string }

type Batch = readonly Statement[]

const { path, identity, commitDelayMs } = workerData as WriterData
let connection: { db: DatabaseSync; prepared: Map<string, Prepared> } | undefined

/** `returnsRows` is remembered, because asking for the columns takes as long as a small statement. */
type Prepared = { statement: StatementSync; returnsRows: boolean }

parentPort!.on('message', (message: readonly Batch[] | 'empty-log' | 'rewrite' | 'close') => {
  if (message === 'empty-log') emptyLog()
  else if (message === 'rewrite') rewrite()
  else if (message === 'close') {
    // If a command is reading, closing the connection alone would leave the newest leads in the log.
    emptyLog()
    closeConnection()
    parentPort!.close()
  } else parentPort!.postMessage(commitGroup(message))
})

function commitGroup(group: readonly Batch[]): BatchOutcome[] {
  try {
    return commit(group)
  } catch (error) {
    if (error instanceof Replaced) throw error
    const unavailable = storageFault(error)
    if (unavailable !== undefined) return group.map(() => ({ unavailable }))
    if (group.length === 1) return [{ failed: (error as Error).message }]
  }
  // One batch is at fault, so each is committed alone, and the others succeed.
  return group.flatMap((batch) => commitGroup([batch]))
}

function commit(group: readonly Batch[]): BatchOutcome[] {
  // Throws if the file is missing: opening it would create an empty one, which hides the loss.
  if (connection === undefined) refuseReplaced()
  connection ??= { db: openToWrite(path), prepared: new Map() }
  const { db } = connection
  try {
    db.exec('begin immediate')
    const outcomes = mapDense(group, (batch) => ({ results: mapDense(batch, runStatement) }))
    if (commitDelayMs > 0) {
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, commitDelayMs)
    }
    db.exec('commit')
    // A lead in a file that was moved away must not be acknowledged.
    refuseReplaced()
    return outcomes
  } catch (error) {
    giveBack(db, error)
    throw error
  }
}

/** Nothing handles this error, so it ends the thread, and then the service. */
class Replaced extends Error {}

function refuseReplaced(): void {
  if (fileIdentity(path) !== identity) throw new Replaced()
}

function runStatement([sql, values]: Statement): Result {
  const { db, prepared } = connection!
  let known = prepared.get(sql)
  if (known === undefined) {
    const statement = db.prepare(toSqlite(sql))
    prepared.set(sql, (known = { statement, returnsRows: statement.columns().length > 0 }))
  }
  const { statement, returnsRows } = known
  return returnsRows
    ? (statement.all(...values) as Row[])
    : Number(statement.run(...values).changes)
}

function giveBack(db: DatabaseSync, error: unknown): void {
  // After a full disk or an I/O error SQLite may have rolled back by itself.
  if (db.isTransaction) attempt(() => db.exec('rollback'))
  const kind = storageFault(error)
  // Moves acknowledged leads from the log into their file, which was moved away.
  if (error instanceof Replaced) emptyLog()
  if (error instanceof Replaced || kind === 'input-output' || kind === 'damaged') closeConnection()
}

function emptyLog(): void {
  attempt(() => connection && emptyLogOf(connection.db))
}

/** Takes about three seconds with 100,000 leads, and as much room as the file. Leads wait meanwhile. */
function rewrite(): void {
  attempt(() => connection?.db.exec('vacuum'))
  emptyLog()
}

function closeConnection(): void {
  attempt(() => connection?.db.close())
  connection = undefined
}

function attempt(action: () => unknown): void {
  try {
    action()
  } catch {
    // `action` only cleans up, so its failure is ignored.
  }
}
