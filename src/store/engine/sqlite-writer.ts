/**
 * The writer thread: owns the only write connection, so that a slow disk never delays a page. Each
 * message is a group of batches; they are committed together, and answered after the sync.
 */
import { rmSync } from 'node:fs'
import { parentPort, workerData } from 'node:worker_threads'
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { StoreRefused } from './engine.ts'
import type { Result, Row, Value } from './engine.ts'
import { storageFault } from './sqlite-faults.ts'
import {
  adoptFile,
  countParameters,
  emptyLogOf,
  fileIdentity,
  openToWrite,
  reserveOf,
  toSqlite,
} from './sqlite-file.ts'

/**
 * Batches as flat lists: each nested list costs more to post to a thread than its contents. An SQL
 * text is posted once; after that a statement is its number.
 */
export type Group = {
  /** New SQL texts; numbers continue from the last group. */
  texts: string[]
  /** The statements of all batches, by number. */
  statements: number[]
  /** As many for each statement as it has parameters. */
  values: Value[]
  /** The number of statements in each batch. */
  lengths: number[]
}

/**
 * The results of all statements or, if they could not be committed together, of each batch.
 * `file`: `lost` when it is no longer at its path, `found` when the one there is used from now on.
 * `refused`: why the one there is not used. `released`: the disk was full, and the reserve is gone.
 */
export type GroupDone = { file: FileState; refused: string | undefined; released: boolean } & (
  | { results: Result[] }
  | { outcomes: GroupResult[] }
)
export type FileState = 'same' | 'lost' | 'found'
export type GroupResult = { results: Result[] } | { unavailable: string } | { failed: string }
/** `identity`: of the file that the start has prepared. */
export type WriterData = { path: string; identity: string; commitDelayMs: number }

const { path, identity: preparedIdentity, commitDelayMs } = workerData as WriterData
const texts: { sql: string; parameters: number }[] = []
/** Closing a connection to a file that was moved would unlink the log of the file in its place. */
const retired: DatabaseSync[] = []
let connection: { db: DatabaseSync; identity: string; prepared: Prepared[] } | undefined
let lastIdentity = preparedIdentity
let file: FileState = 'same'
let isLost = false
let refused: string | undefined
let released = false

type Prepared = { statement: StatementSync; returnsRows: boolean } | undefined

parentPort!.on('message', (group: Group | 'empty-log' | 'close') => {
  if (group === 'close') {
    // While a command reads, closing alone would leave the newest leads in the log.
    attempt(() => connection && emptyLogOf(connection.db))
    connection?.db.close()
    parentPort!.close()
    return
  }
  if (group === 'empty-log') {
    attempt(() => connection && emptyLogOf(connection.db))
    return
  }
  for (const sql of group.texts) texts.push({ sql, parameters: countParameters(sql) })
  file = 'same'
  refused = undefined
  released = false
  const done = commitGroup(group)
  parentPort!.postMessage({ ...done, file, refused, released } satisfies GroupDone)
})

function commitGroup(group: Group): { results: Result[] } | { outcomes: GroupResult[] } {
  try {
    return { results: commit(group) }
  } catch (error) {
    const reason = unavailableReason(error)
    if (reason === 'full' && releaseReserve()) return commitGroup(group)
    if (reason !== undefined) {
      return { outcomes: group.lengths.map(() => ({ unavailable: reason })) }
    }
    if (group.lengths.length === 1) return { outcomes: [{ failed: (error as Error).message }] }
  }
  // One batch broke a constraint; commit each alone, so that the others succeed.
  return { outcomes: split(group).map(commitAlone) }
}

function releaseReserve(): boolean {
  try {
    rmSync(reserveOf(path))
    released = true
    return true
  } catch {
    return false
  }
}

function commitAlone(group: Group): GroupResult {
  const done = commitGroup(group)
  return 'results' in done ? done : done.outcomes[0]!
}

function commit({ statements, values }: Group): Result[] {
  const { db, identity, prepared } = open()
  try {
    db.exec('begin immediate')
    let at = 0
    const results = statements.map((number) => {
      const { parameters } = texts[number]!
      at += parameters
      return runStatement(db, prepared, number, values.slice(at - parameters, at))
    })
    if (commitDelayMs > 0) {
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, commitDelayMs)
    }
    db.exec('commit')
    if (fileIdentity(path) !== identity) throw new Replaced()
    return results
  } catch (error) {
    giveBack(db, error)
    throw error
  }
}

function split({ statements, values, lengths }: Group): Group[] {
  let statement = 0
  let value = 0
  return lengths.map((length) => {
    const own = statements.slice(statement, (statement += length))
    const parameters = own.reduce((sum, number) => sum + texts[number]!.parameters, 0)
    const ownValues = values.slice(value, (value += parameters))
    return { texts: [], statements: own, values: ownValues, lengths: [length] }
  })
}

function open(): NonNullable<typeof connection> {
  if (connection !== undefined) return connection
  const identity = fileIdentity(path)
  // A missing file is not created again: an empty one in its place would hide the loss.
  if (identity === undefined) throw new Replaced()
  const isOther = identity !== lastIdentity
  if (isOther) adoptFile(path, Date.now())
  connection = { db: openToWrite(path), identity, prepared: [] }
  if (isOther || isLost) file = 'found'
  isLost = false
  lastIdentity = identity
  return connection
}

function runStatement(
  db: DatabaseSync,
  prepared: Prepared[],
  number: number,
  values: readonly Value[],
): Result {
  const { statement, returnsRows } = (prepared[number] ??= prepare(db, texts[number]!.sql))
  return returnsRows
    ? (statement.all(...values) as Row[])
    : Number(statement.run(...values).changes)
}

function prepare(db: DatabaseSync, text: string): NonNullable<Prepared> {
  const statement = db.prepare(toSqlite(text))
  return { statement, returnsRows: statement.columns().length > 0 }
}

class Replaced extends Error {}

/** After a failure: rolls back, and drops a connection that can no longer be trusted. */
function giveBack(db: DatabaseSync, error: unknown): void {
  // SQLite may have rolled back by itself: disk full, I/O error.
  if (db.isTransaction) attempt(() => db.exec('rollback'))
  const kind = storageFault(error)
  if (error instanceof Replaced) {
    // Moves acknowledged leads into the moved file, and leaves no log for the file in its place.
    attempt(() => emptyLogOf(db))
    retired.push(db)
    connection = undefined
    isLost = true
    file = 'lost'
  } else if (kind === 'input-output' || kind === 'damaged') {
    attempt(() => db.close())
    connection = undefined
  }
}

function attempt(action: () => unknown): void {
  try {
    action()
  } catch {
    // The first failure is the one to report.
  }
}

function unavailableReason(error: unknown): string | undefined {
  if (error instanceof StoreRefused) {
    refused = error.message
    return 'refused'
  }
  if (!(error instanceof Replaced)) return storageFault(error)
  return fileIdentity(path) === undefined ? 'missing' : 'replaced'
}
