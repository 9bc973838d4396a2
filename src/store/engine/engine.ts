/** What the store asks of a database. Both engines run the same SQL; an engine file holds its dialect. */
export type Value = string | number | null
export type Row = Readonly<Record<string, Value>>

/** SQL with `$1` placeholders, their values, and the insert it was made from, if it is one. */
export type Statement = readonly [sql: string, values: readonly Value[], insert?: PreparedInsert]

/** An insert as data, so that an engine can join the rows of many batches into one statement. */
export type Insert = {
  into: string
  /** In the order of `$1`, `$2`, … The first column identifies a row. */
  given: Readonly<Record<string, 'text' | 'bigint'>>
  /** Columns with the same SQL value in every row. */
  also?: Readonly<Record<string, string>>
  /** Only rows of `given` for which this holds. */
  where?: string
  /** The column that names a row of another table inserted by the same batch: left out if that is. */
  belongsTo?: { table: string; by: string }
  /** The `on conflict` clause. */
  conflict: string
  /** The column on which rows of different batches conflict. */
  collidesOn?: string
}

/** With its text for one row. */
export type PreparedInsert = Insert & { readonly sql: string }

/** `$1, $2, …` for as many values. */
export function toParameters(count: number): string {
  return Array.from({ length: count }, (_, index) => `$${index + 1}`).join(', ')
}

/** The rows that a statement returns, or how many it changed. */
export type Result = readonly Row[] | number

/** Which of two texts to take, for the few questions that the engines are asked differently. */
export type Dialect = 'sqlite' | 'postgres'

export type Engine = {
  readonly dialect: Dialect
  /** Whether no other process writes to the database. */
  readonly soleWriter: boolean
  /**
   * Runs the statements as one transaction. Resolves with the result of each statement, only after
   * the commit is synced. A batch is a list, never a callback: an `await` inside a transaction would
   * let another request's statements in.
   */
  run(batch: readonly Statement[]): Promise<readonly Result[]>
  /**
   * Sees everything that was committed before the call. Of two that are called at one moment, the
   * second sees no less than the first. `prepared`: for few texts that are asked often, and whose best
   * plan does not depend on the values.
   */
  read(sql: string, values?: readonly Value[], prepared?: 'prepared'): Promise<Row[]>
  /** After erasing: overwrites soon what the engine keeps of deleted rows, as far as it can. */
  forgetDeleted(): void
  /** For an index that keeps what was deleted; may take minutes. */
  rebuildIndex(name: string): Promise<void>
  close(): Promise<void>
}

/** The database cannot be used now, but may be later. Not the fault of a request. */
export class StorageUnavailable extends Error {
  override name = 'StorageUnavailable'
  /** In our words: `full`, `locked`, `read-only`, `replaced`, `overloaded`, … */
  readonly reason: string

  constructor(reason: string, cause?: unknown) {
    super(`the database cannot be written: ${reason}`, { cause })
    this.reason = reason
  }
}

/** The database cannot be used, and waiting does not help. The message says what to do. */
export class StoreRefused extends Error {
  override name = 'StoreRefused'
}
