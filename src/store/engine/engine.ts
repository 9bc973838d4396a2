/** What the store asks of a database. One SQL text serves every engine; an engine file holds the differences. */
import type { PreparedInsert } from './insert.ts'

export type Value = string | number | null
export type Row = Readonly<Record<string, Value>>

/** SQL with `$1` placeholders, their values, and the insert it was made from, if it is one. */
export type Statement = readonly [sql: string, values: readonly Value[], insert?: PreparedInsert]

/** `$1, $2, …` for as many values. */
export function toParameters(count: number): string {
  return Array.from({ length: count }, (_, index) => `$${index + 1}`).join(', ')
}

/** Of one statement: the rows it returns, or how many it changed. */
export type Result = readonly Row[] | number

export type Engine = {
  /**
   * Whether this process alone keeps leads in the database, so that its memory may stand in for an
   * index.
   */
  readonly soleWriter: boolean
  /**
   * Runs the statements as one transaction: all or nothing. Resolves, with the result of each
   * statement, only after the commit is synced. A batch is a list, never a callback: an `await`
   * inside a transaction would let somebody else's lead in.
   */
  run(batch: readonly Statement[]): Promise<readonly Result[]>
  /** What was committed before the call is seen. */
  read(sql: string, values?: readonly Value[]): Promise<Row[]>
  close(): Promise<void>
}

/** Nothing can be committed just now; later it may. Not the fault of a request. */
export class StorageUnavailable extends Error {
  override name = 'StorageUnavailable'
  /** In our words: `full`, `locked`, `read-only`, `replaced`, `overloaded`, … */
  readonly reason: string

  constructor(reason: string, cause?: unknown) {
    super(`the database cannot be written: ${reason}`, { cause })
    this.reason = reason
  }
}

/** The database cannot be used, and waiting will not help. The message says what to do. */
export class StoreRefused extends Error {
  override name = 'StoreRefused'
}
