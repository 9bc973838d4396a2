/**
 * Joins the inserts of many batches into one statement, which is a transaction by itself. The rows of
 * each insert travel as one JSON text: half the CPU of one array per column.
 */
import type { Insert, PreparedInsert, Result, Statement, Value } from './engine.ts'
import { insertFrom } from './insert.ts'
import { syncCommit } from './postgres-pool.ts'
import type { QueryAnswer, Query } from './postgres-pool.ts'

export type Batch = readonly Statement[]

/** Whether its statements can run together with those of other batches. */
export function canJoin(batch: Batch): boolean {
  let first: Insert | undefined
  for (const [, , insert] of batch) {
    if (insert === undefined) return false
    first ??= insert
    if ((insert.belongsTo?.table ?? first.into) !== first.into) return false
  }
  return true
}

/** The statement, and how to read the result of each batch from its answer. */
export function joinBatches(group: readonly Batch[]): {
  query: Query
  readAnswer(answer: QueryAnswer): Result[][]
} {
  const rowsOf = new Map<PreparedInsert, (readonly Value[])[]>()
  for (const batch of group) {
    for (const [, values, insert] of batch) {
      const rows = rowsOf.get(insert!)
      if (rows === undefined) rowsOf.set(insert!, [values])
      else rows.push(values)
    }
  }
  const inserts = [...rowsOf.keys()]
  return {
    query: {
      ...joinedText(inserts),
      values: inserts.map((insert) => toJson(insert, rowsOf.get(insert)!)),
    },
    readAnswer({ rows }) {
      if (rows.length === 0) return group.map(allDone)
      const leftOut = new Set(rows.map(({ text, key }) => `${text} ${key}`))
      return group.map((batch) =>
        batch.map(([, [key], insert]) =>
          leftOut.has(`${inserts.indexOf(insert!)} ${key}`) ? 0 : 1,
        ),
      )
    },
  }
}

const ones: Result[][] = []

function allDone({ length }: Batch): Result[] {
  return (ones[length] ??= Array.from({ length }, () => 1))
}

type Text = { text: string; name: string }

const texts = new Map<string, Text>()

/** Made once for each list of inserts; the server prepares it once by its name. */
function joinedText(inserts: readonly PreparedInsert[]): Text {
  const key = inserts.map(({ sql }) => sql).join(';')
  let text = texts.get(key)
  if (text === undefined) {
    text = { text: toText(inserts), name: `joined-${texts.size}` }
    texts.set(key, text)
  }
  return text
}

/** Answers with the keys of the rows that were left out, mostly none. */
function toText(inserts: readonly Insert[]): string {
  const parts = inserts.map((insert, index) => {
    const { into, given, belongsTo } = insert
    const columns = Object.keys(given)
    const values = Object.entries(given).map(
      ([name, type], at) => `${toValue(type, at)} as ${name}`,
    )
    const owner = belongsTo && inserts.findIndex((other) => other.into === belongsTo.table)
    // A CTE does not see rows that another CTE inserts, so it reads that one's `returning`.
    const where =
      owner === undefined || owner === -1
        ? insert.where
        : `given.${belongsTo!.by} in (select key from added${owner})`
    return `given${index} as (select ${values.join(', ')} from jsonb_array_elements($${index + 1}::jsonb) as row),
      added${index} as (${insertFrom({ ...insert, ...(where && { where }) }, `given${index} as given`)}
      returning ${into}.${columns[0]} as key)`
  })
  const leftOut = inserts.map(({ given }, index) => {
    const [key] = Object.keys(given)
    return `select ${index} as text, given${index}.${key} as key from given${index}
      where given${index}.${key} not in (select key from added${index})`
  })
  const nothing = `select -1, null where ${syncCommit} is null`
  return `with ${parts.join(', ')} ${[...leftOut, nothing].join(' union all ')}`
}

function toValue(type: 'text' | 'bigint', at: number): string {
  return type === 'text' ? `row->>${at}` : `(row->>${at})::${type}`
}

function toJson({ given, collidesOn = '' }: Insert, rows: (readonly Value[])[]): string {
  const collides = Object.keys(given).indexOf(collidesOn)
  // Rows that may conflict go in one order, so that two nodes' groups cannot deadlock.
  if (collides !== -1) rows.sort((one, other) => compare(one[collides]!, other[collides]!))
  return JSON.stringify(rows)
}

function compare(one: Value, other: Value): number {
  return one === other ? 0 : one === null || (other !== null && one < other) ? -1 : 1
}
