/** Inserts as data, so that an engine can join the rows of many batches into one statement. */
import type { Insert, PreparedInsert, Statement, Value } from './engine.ts'

export function prepareInsert(insert: Insert): PreparedInsert {
  return { ...insert, sql: toSql(insert) }
}

export function insertRow(insert: PreparedInsert, values: readonly Value[]): Statement {
  return [insert.sql, values, insert]
}

function toSql(insert: Insert): string {
  const { into, given, also = {}, where, conflict } = insert
  const columns = Object.entries(given)
  if (where === undefined) {
    const parameters = columns.map((_, index) => `$${index + 1}`)
    const values = [...parameters, ...Object.values(also)].join(', ')
    return `insert into ${into} (${columnList(insert)}) values (${values}) ${conflict}`
  }
  const row = columns.map(([name, type], index) => `cast($${index + 1} as ${type}) as ${name}`)
  return insertFrom(insert, `(select ${row.join(', ')}) as given`)
}

/** The text for the rows of a source named `given`. */
export function insertFrom(insert: Insert, source: string): string {
  const { into, given, also = {}, where = 'true', conflict } = insert
  const values = [...Object.keys(given).map((name) => `given.${name}`), ...Object.values(also)]
  return `insert into ${into} (${columnList(insert)}) select ${values.join(', ')} from ${source} where ${where} ${conflict}`
}

function columnList({ given, also = {} }: Insert): string {
  return [...Object.keys(given), ...Object.keys(also)].join(', ')
}
