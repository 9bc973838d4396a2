/**
 * Inserts whose values are given from outside. The text is for one row; an engine to which a
 * statement costs more than a row may put a list of rows in its place.
 */
export type Insert = {
  into: string
  /** In the order of `$1`, `$2`, … The first tells rows apart. */
  given: Readonly<Record<string, 'text' | 'bigint'>>
  /** Columns that follow from those. */
  also?: Readonly<Record<string, string>>
  /** Only rows of `given` for which this holds. */
  where?: string
  /**
   * Its rows belong to rows of that table, which the same batch inserts before: this column names
   * them. Where those are left out, these are.
   */
  belongsTo?: { table: string; by: string }
  /** What becomes of a row that is there already. */
  conflict: string
  /** Two rows that are the same in this column collide. */
  collidesOn?: string
}

const inserts = new Map<string, Insert>()

/** The text for one row, by which the insert is known from then on. */
export function toInsertSql(insert: Insert): string {
  const row = Object.entries(insert.given).map(
    ([column, type], index) => `cast($${index + 1} as ${type}) as ${column}`,
  )
  const sql = insertFrom(insert, `(select ${row.join(', ')}) as given`)
  inserts.set(sql, insert)
  return sql
}

/** The text for the rows of a source named `given`. */
export function insertFrom(insert: Insert, source: string): string {
  const { into, given, also = {}, where = 'true', conflict } = insert
  const columns = [...Object.keys(given), ...Object.keys(also)]
  const values = [...Object.keys(given).map((name) => `given.${name}`), ...Object.values(also)]
  return `insert into ${into} (${columns.join(', ')}) select ${values.join(', ')} from ${source} where ${where} ${conflict}`
}

/** `undefined`: not such an insert. */
export function findInsert(sql: string): Insert | undefined {
  return inserts.get(sql)
}
