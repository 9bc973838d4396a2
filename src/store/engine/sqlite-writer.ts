/**
 * Commits batches to SQLite, and answers after the sync. The service runs it in a thread of its own (sqlite-thread.ts),
 * so that a slow disk never delays a page. A command has no page to delay, and saves the start of a thread.
 */
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { isUnmet, mapDense, type Result, type Row, type Statement } from './engine.ts'
import { emptyLogOf, fileIdentity, openToWrite, storageFault, toSqlite } from './sqlite-file.ts'

export type WriterData = { path: string; identity: string }

type Batch = readonly Statement[]

/** A list is a group of batches to commit. */
export type Order = readonly Batch[] | 'empty-log' | 'rewrite' | 'close'

/** `unavailable`: the database is at fault. `failed`: the batch is at fault. */
export type BatchOutcome = { results: Result[] } | { unavailable: string } | { failed: string }

/** `returnsRows` is remembered, because asking for the columns takes as long as a small statement. */
type Prepared = { statement: StatementSync; returnsRows: boolean }

export class SqliteWriter {
  readonly #data: WriterData
  #connection: { db: DatabaseSync; prepared: Map<string, Prepared> } | undefined

  constructor(data: WriterData) {
    this.#data = data
  }

  /** Returns the outcomes of a group. Throws if the file was replaced, and then nothing more may be written. */
  obey(order: Order): BatchOutcome[] | undefined {
    if (typeof order !== 'string') return this.#commitGroup(order)
    if (order === 'rewrite') this.#rewrite()
    // Before the end, too: if a command is reading, closing the connection alone would leave the newest leads in the log.
    this.#emptyLog()
    if (order === 'close') this.#closeConnection()
    return undefined
  }

  #commitGroup(group: readonly Batch[]): BatchOutcome[] {
    try {
      return this.#commit(group)
    } catch (error) {
      if (error instanceof Replaced) throw error
      const unavailable = storageFault(error)
      if (unavailable !== undefined) return group.map(() => ({ unavailable }))
      if (group.length === 1) {
        return [error instanceof Unmet ? { results: [] } : { failed: (error as Error).message }]
      }
    }
    // One batch is at fault, so each is committed alone, and the others succeed.
    return group.flatMap((batch) => this.#commitGroup([batch]))
  }

  #commit(group: readonly Batch[]): BatchOutcome[] {
    const { path } = this.#data
    // Throws if the file is missing: opening it would create an empty one, which hides the loss.
    if (this.#connection === undefined) this.#refuseReplaced()
    this.#connection ??= { db: openToWrite(path), prepared: new Map() }
    const { db } = this.#connection
    const runStatement = (statement: Statement) => this.#runStatement(statement)
    try {
      db.exec('begin immediate')
      const outcomes = mapDense(group, (batch) => ({ results: mapDense(batch, runStatement) }))
      db.exec('commit')
      // A lead in a file that was moved away must not be acknowledged.
      this.#refuseReplaced()
      return outcomes
    } catch (error) {
      this.#giveBack(db, error)
      throw error
    }
  }

  #refuseReplaced(): void {
    const { path, identity } = this.#data
    if (fileIdentity(path) !== identity) throw new Replaced()
  }

  #runStatement(asked: Statement): Result {
    const [sql, values] = asked
    const { db, prepared } = this.#connection!
    let known = prepared.get(sql)
    if (known === undefined) {
      const statement = db.prepare(toSqlite(sql))
      prepared.set(sql, (known = { statement, returnsRows: statement.columns().length > 0 }))
    }
    const { statement, returnsRows } = known
    const result = returnsRows
      ? (statement.all(...values) as Row[])
      : Number(statement.run(...values).changes)
    if (isUnmet(asked, result)) throw new Unmet()
    return result
  }

  #giveBack(db: DatabaseSync, error: unknown): void {
    // After a full disk or an I/O error SQLite may have rolled back by itself.
    if (db.isTransaction) attempt(() => db.exec('rollback'))
    const kind = storageFault(error)
    // Moves acknowledged leads from the log into their file, which was moved away.
    if (error instanceof Replaced) this.#emptyLog()
    if (error instanceof Replaced || kind === 'input-output' || kind === 'damaged') {
      this.#closeConnection()
    }
  }

  #emptyLog(): void {
    attempt(() => this.#connection && emptyLogOf(this.#connection.db))
  }

  /** Takes about three seconds with 100,000 leads, and as much room as the file. Leads wait meanwhile. */
  #rewrite(): void {
    attempt(() => this.#connection?.db.exec('vacuum'))
  }

  #closeConnection(): void {
    attempt(() => this.#connection?.db.close())
    this.#connection = undefined
  }
}

/** A statement that must change a row changed none. */
class Unmet extends Error {}

/** Nothing handles this error, so it ends the thread, and then the service. */
class Replaced extends Error {}

function attempt(action: () => unknown): void {
  try {
    action()
  } catch {
    // `action` only cleans up, so its failure is ignored.
  }
}
