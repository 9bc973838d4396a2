/**
 * The writer thread: owns the only write connection, so that a slow disk never delays a page. Each
 * message is a group of batches that waited together; they are committed together, and answered
 * after the sync.
 */
import { parentPort, workerData } from 'node:worker_threads'
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { Result, Row, Value } from './engine.ts'
import {
  countParameters,
  emptyLogOf,
  fileIdentity,
  isPrepared,
  openToWrite,
  storageFault,
  toSqlite,
} from './sqlite-file.ts'

/**
 * Several batches in flat lists, because a list costs more to send to a thread than what is in it.
 * SQL travels once; after that a statement is its number.
 */
export type Group = {
  /** New SQL texts, numbered on from those before. */
  texts: string[]
  /** The numbers of the statements of all batches, one batch after the other. */
  statements: number[]
  /** What goes into them: as many as each statement has places. */
  values: Value[]
  /** How many statements each batch has. */
  lengths: number[]
}

/**
 * The results of all statements; or, where they did not all succeed together, what became of each
 * batch. `replaced`: another file stands in the place of the one that was written before.
 */
export type GroupDone = { replaced: boolean } & ({ results: Result[] } | { outcomes: Outcome[] })
export type Outcome = { results: Result[] } | { unavailable: string } | { failed: string }
export type WriterData = { path: string; commitDelayMs: number }

const { path, commitDelayMs } = workerData as WriterData
const texts: { sql: string; places: number }[] = []
/** Closing a connection to a file that was moved would unlink the newcomer's log, so it is only set aside. */
const rejected: DatabaseSync[] = []
let connection: { db: DatabaseSync; identity: string; prepared: Prepared[] } | undefined
let lastIdentity: string | undefined
let replaced = false

type Prepared = { statement: StatementSync; returnsRows: boolean } | undefined

parentPort!.on('message', (group: Group | 'empty-log' | 'close') => {
  if (group === 'close') {
    connection?.db.close()
    parentPort!.close()
    return
  }
  if (group === 'empty-log') {
    attempt(() => connection && emptyLogOf(connection.db))
    return
  }
  for (const sql of group.texts) texts.push({ sql, places: countParameters(sql) })
  replaced = false
  const done = commitGroup(group)
  parentPort!.postMessage({ ...done, replaced } satisfies GroupDone)
})

function commitGroup(group: Group): { results: Result[] } | { outcomes: Outcome[] } {
  try {
    return { results: commit(group) }
  } catch (error) {
    const reason = unavailableReason(error)
    if (reason !== undefined) {
      return { outcomes: group.lengths.map(() => ({ unavailable: reason })) }
    }
    if (group.lengths.length === 1) return { outcomes: [{ failed: (error as Error).message }] }
  }
  // One of them broke a rule of the schema. The others must not pay for it.
  return { outcomes: split(group).map(commitAlone) }
}

function commitAlone(group: Group): Outcome {
  const done = commitGroup(group)
  return 'results' in done ? done : done.outcomes[0]!
}

function commit({ statements, values }: Group): Result[] {
  const { db, identity, prepared } = open()
  try {
    db.exec('begin immediate')
    let at = 0
    const results = statements.map((number) => {
      const { places } = texts[number]!
      at += places
      return runStatement(db, prepared, number, values.slice(at - places, at))
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
    const places = own.reduce((sum, number) => sum + texts[number]!.places, 0)
    const ownValues = values.slice(value, (value += places))
    return { texts: [], statements: own, values: ownValues, lengths: [length] }
  })
}

function open(): NonNullable<typeof connection> {
  if (connection !== undefined) return connection
  // A missing file is not made anew here: an empty one in its place would hide the loss.
  if (!isPrepared(path)) throw new Replaced()
  const db = openToWrite(path)
  connection = { db, identity: fileIdentity(path)!, prepared: [] }
  replaced = lastIdentity !== undefined && lastIdentity !== connection.identity
  lastIdentity = connection.identity
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

/** After a failure: undo, and let go of a connection that may not be trusted any more. */
function giveBack(db: DatabaseSync, error: unknown): void {
  // SQLite has often rolled back by itself already: disk full, I/O error.
  if (db.isTransaction) attempt(() => db.exec('rollback'))
  const kind = storageFault(error)
  if (error instanceof Replaced) {
    // Pushes what was acknowledged into the moved file, and leaves no log behind for the newcomer.
    attempt(() => emptyLogOf(db))
    rejected.push(db)
    connection = undefined
  } else if (kind === 'input-output' || kind === 'damaged') {
    attempt(() => db.close())
    connection = undefined
  }
}

function attempt(action: () => unknown): void {
  try {
    action()
  } catch {
    // The failure that led here is the one to tell; and the log is emptied some other time.
  }
}

function unavailableReason(error: unknown): string | undefined {
  return error instanceof Replaced ? 'replaced' : storageFault(error)
}
