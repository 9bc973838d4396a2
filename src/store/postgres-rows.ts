/**
 * The inserts of many batches as one statement, which is a transaction by itself. The rows of each
 * travel as one JSON text: that costs this process half of what a list for each column would.
 */
import type { Result, Statement, Value } from './engine.ts'
import { findInsert, insertFrom } from './insert.ts'
import type { Insert } from './insert.ts'
import type { Answer, Query } from './postgres-pool.ts'

export type Batch = readonly Statement[]

/** Whether its statements can be run together with those of others. */
export function canJoin(batch: Batch): boolean {
  let first: Insert | undefined
  for (const [sql] of batch) {
    const insert = findInsert(sql)
    if (insert === undefined) return false
    first ??= insert
    if ((insert.belongsTo?.table ?? first.into) !== first.into) return false
  }
  return true
}

/** The statement, and how to read from its answer what became of each batch. */
export function joinBatches(group: readonly Batch[]): {
  query: Query
  readAnswer(answer: Answer): Result[][]
} {
  const rowsOf = new Map<string, (readonly Value[])[]>()
  for (const batch of group) {
    for (const [sql, values] of batch) {
      const rows = rowsOf.get(sql)
      if (rows === undefined) rowsOf.set(sql, [values])
      else rows.push(values)
    }
  }
  const sqls = [...rowsOf.keys()]
  return {
    query: {
      ...joinedText(sqls),
      values: sqls.map((sql) => toJson(findInsert(sql)!, rowsOf.get(sql)!)),
    },
    readAnswer({ rows }) {
      if (rows.length === 0) return group.map(allDone)
      const leftOut = new Set(rows.map(({ text, key }) => `${text} ${key}`))
      return group.map((batch) =>
        batch.map(([sql, [key]]) => (leftOut.has(`${sqls.indexOf(sql)} ${key}`) ? 0 : 1)),
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

/** Made once for each list of statements; by its name the server knows it again. */
function joinedText(sqls: readonly string[]): Text {
  const known = sqls.join(';')
  let text = texts.get(known)
  if (text === undefined) {
    text = { text: toText(sqls.map((sql) => findInsert(sql)!)), name: `joined-${texts.size}` }
    texts.set(known, text)
  }
  return text
}

/** Answers with the keys of the rows that were left out: mostly none. */
function toText(inserts: readonly Insert[]): string {
  const parts = inserts.map((insert, index) => {
    const { into, given, belongsTo } = insert
    const columns = Object.keys(given)
    const values = Object.entries(given).map(
      ([name, type], at) => `${toValue(type, at)} as ${name}`,
    )
    const owner = belongsTo && inserts.findIndex((other) => other.into === belongsTo.table)
    // A part of a statement does not see what another part inserts; it is told.
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
  return `with ${parts.join(', ')} ${leftOut.join(' union all ')}`
}

function toValue(type: 'text' | 'bigint', at: number): string {
  return type === 'text' ? `row->>${at}` : `(row->>${at})::${type}`
}

function toJson({ given, collidesOn = '' }: Insert, rows: (readonly Value[])[]): string {
  const collides = Object.keys(given).indexOf(collidesOn)
  // In one order everywhere, so that no two groups wait for each other crosswise.
  if (collides !== -1) rows.sort((one, other) => compare(one[collides]!, other[collides]!))
  return JSON.stringify(rows)
}

function compare(one: Value, other: Value): number {
  return one === other ? 0 : one === null || (other !== null && one < other) ? -1 : 1
}
