/** Many inserts as one statement: each place becomes a list of the values of that column. */
import type { Result, Statement, Value } from './engine.ts'
import { findInsert, insertFrom } from './insert.ts'
import type { Insert } from './insert.ts'
import type { Answer, Query } from './postgres-pool.ts'

export type Batch = readonly Statement[]

/** Whether its statements can be run together with those of others. */
export function canJoin(batch: Batch): boolean {
  return batch.every(([sql]) => findInsert(sql) !== undefined)
}

/** One statement for each text of a group, and how to read from their answers what became of each batch. */
export function joinBatches(group: readonly Batch[]): {
  queries: Query[]
  readAnswers(answers: readonly Answer[]): Result[][]
} {
  const rowsOf = new Map<string, (readonly Value[])[]>()
  for (const batch of group) {
    for (const [sql, values] of batch) {
      const rows = rowsOf.get(sql)
      if (rows === undefined) rowsOf.set(sql, [values])
      else rows.push(values)
    }
  }
  const texts = [...rowsOf.keys()]
  return {
    queries: texts.map((sql) => toQuery(sql, rowsOf.get(sql)!)),
    readAnswers(answers) {
      const leftOut = new Map<string, Set<Value>>()
      for (const [index, { rows }] of answers.entries()) {
        if (rows.length > 0) leftOut.set(texts[index]!, new Set(rows.map((row) => row['key']!)))
      }
      return group.map((batch) =>
        batch.map(([sql, [key]]) => (leftOut.get(sql)?.has(key!) ? 0 : 1)),
      )
    },
  }
}

function toQuery(sql: string, rows: (readonly Value[])[]): Query {
  const insert = findInsert(sql)!
  const columns = Object.keys(insert.given)
  const collides = columns.indexOf(insert.collidesOn ?? '')
  // In one order everywhere, so that no two groups wait for each other crosswise.
  if (collides !== -1) rows.sort((one, other) => compare(one[collides]!, other[collides]!))
  return {
    text: manyText(sql, insert),
    name: nameOf(sql),
    values: columns.map((_, at) => toList(rows, at)),
  }
}

function compare(one: Value, other: Value): number {
  return one === other ? 0 : one === null || (other !== null && one < other) ? -1 : 1
}

const manyTexts = new Map<string, string>()

/** Answers with the keys of the rows that were left out: mostly none. */
function manyText(sql: string, insert: Insert): string {
  let text = manyTexts.get(sql)
  if (text === undefined) {
    const { into, given } = insert
    const [key] = Object.keys(given)
    const lists = Object.values(given).map((type, index) => `$${index + 1}::${type}[]`)
    text = `with given as (select * from unnest(${lists.join(', ')}) as row (${Object.keys(given).join(', ')})),
      added as (${insertFrom(insert, 'given')} returning ${into}.${key})
      select given.${key} as key from given where given.${key} not in (select ${key} from added)`
    manyTexts.set(sql, text)
  }
  return text
}

const names = new Map<string, string>()

function nameOf(sql: string): string {
  let name = names.get(sql)
  if (name === undefined) {
    name = `many-${names.size}`
    names.set(sql, name)
  }
  return name
}

/** As PostgreSQL writes an array: `{1,2}`, `{"one","two",NULL}`. */
function toList(rows: readonly (readonly Value[])[], at: number): string {
  let list = '{'
  for (const [index, row] of rows.entries()) {
    const value = row[at]!
    if (index > 0) list += ','
    if (typeof value === 'string') list += `"${special.test(value) ? escape(value) : value}"`
    else list += value === null ? 'NULL' : value
  }
  return `${list}}`
}

const special = /["\\]/

function escape(text: string): string {
  return text.replaceAll(/["\\]/g, '\\$&')
}
