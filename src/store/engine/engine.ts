/** What both engines offer. They get the same SQL and translate it to their dialect. */
export type Value = string | number | null
export type Row = Readonly<Record<string, Value>>

/** Turns `made_at` into `madeAt` and null into `undefined`, without checking that the row fits `T`. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters
export function fromRow<T>(row: Row): T {
  const named = Object.entries(row).map(([column, value]) => [toName(column), value ?? undefined])
  return Object.fromEntries(named) as T
}

const toName = remembered((column) =>
  column.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()),
)
const toColumn = remembered((name) =>
  name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
)

function remembered(convert: (name: string) => string): (name: string) => string {
  const results = new Map<string, string>()
  return (name) => {
    let result = results.get(name)
    if (result === undefined) results.set(name, (result = convert(name)))
    return result
  }
}

/** `must`: the statement has to change or return a row, otherwise nothing of its batch is done. */
export type Statement = readonly [sql: string, values: readonly Value[], must?: 'must']

type NewRow = Readonly<Record<string, Value | undefined>>

/** Skips a row if its key, or another unique value, exists already. */
export function insertRows(table: string, ...rows: readonly NewRow[]): Statement {
  const columns = Object.keys(rows[0]!).map(toColumn)
  const places = rows.map((_, row) => toParameters(columns.length, row * columns.length + 1))
  return [
    `insert into ${table} (${columns.join(', ')}) values (${places.join('), (')})
     on conflict do nothing`,
    rows.flatMap((row) => Object.values(row)).map((value) => value ?? null),
  ]
}

/** Like `map`, whose arrays may be sparse for V8, so that a copy for another thread takes thrice as long. */
export function mapDense<From, To>(all: Iterable<From>, toOther: (one: From) => To): To[] {
  const others: To[] = []
  for (const one of all) others.push(toOther(one))
  return others
}

export type Condition = readonly [sql: string, values: readonly Value[]]

/** The columns of a table that an insert fills. Its SQL is made once for each condition. */
export class Columns<Name extends string> {
  readonly #table: string
  readonly #types: Readonly<Record<Name, 'text' | 'integer'>>
  readonly #names: readonly Name[]
  readonly #sqlIf = new Map<string, string>()

  constructor(table: string, types: Readonly<Record<Name, 'text' | 'integer'>>) {
    this.#table = table
    this.#types = types
    this.#names = Object.keys(types) as Name[]
  }

  /** Skips the row also if its key, or another unique value, exists already. */
  insertIf([only, known]: Condition, row: Readonly<Record<Name, Value>>): Statement {
    let sql = this.#sqlIf.get(only)
    if (sql === undefined) this.#sqlIf.set(only, (sql = this.#toSql(only, known.length + 1)))
    return [sql, [...known, ...mapDense(this.#names, (name) => row[name])]]
  }

  #toSql(only: string, first: number): string {
    const columns = this.#names.map(toColumn)
    // In a select, PostgreSQL assumes that a parameter without a cast is text.
    const places = this.#names.map((name, index) => {
      const place = `$${first + index}`
      return this.#types[name] === 'integer' ? `cast(${place} as bigint)` : place
    })
    return `insert into ${this.#table} (${columns.join(', ')}) select ${places.join(', ')}
     where ${only} on conflict do nothing`
  }
}

/** Returns `$1, $2, …` or, for no values, `null`, which equals nothing. */
export function toParameters(count: number, first = 1): string {
  return Array.from({ length: count }, (_, index) => `$${first + index}`).join(', ') || 'null'
}

export function toAssignments(set: Readonly<Record<string, Value>>, first: number): string {
  return Object.keys(set)
    .map((column, index) => `${column} = $${first + index}`)
    .join(', ')
}

/** The rows that a statement returns, or the number of rows that it changed. */
export type Result = readonly Row[] | number

export function isUnmet([, , must]: Statement, result: Result): boolean {
  return must === 'must' && (result === 0 || (typeof result !== 'number' && result.length === 0))
}

export type Dialect = 'sqlite' | 'postgres'

export type Engine = {
  readonly dialect: Dialect
  /**
   * Resolves only after the commit is synced. A batch is a list, because other statements could get
   * into the transaction while a callback awaits. Returns no results if a statement that must change
   * a row changed none.
   */
  run(batch: readonly Statement[], deadlineMs?: number): Promise<readonly Result[]>
  /** Sees everything that was committed before the call. */
  read(sql: string, values?: readonly Value[]): Promise<Row[]>
  /**
   * Soon overwrites what is left of erased leads, as far as the engine can. With `everywhere` the file
   * is rewritten, because a page that was split keeps copies of rows in its free space.
   */
  forgetDeleted(everywhere?: boolean): void
  close(): Promise<void>
}

/** The database cannot be used now, but may be later. */
export class StorageUnavailable extends Error {
  override name = 'StorageUnavailable'
  /** A word for the cause: `full`, `locked`, `read-only`, `refused`, `overloaded`, … */
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

/** After the deadline the work continues, but its result is ignored. */
export async function beforeDeadline<T>(deadlineMs: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    // One more turn of the event loop reads an answer that came while this thread was blocked.
    const giveUp = () => setImmediate(() => reject(new StorageUnavailable('slow')))
    timer = setTimeout(giveUp, deadlineMs)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}
