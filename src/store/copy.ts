/**
 * Copies everything from one engine to the other, table by table in key order. The target must be empty,
 * and is marked until everything was compared: no service starts on an unfinished copy.
 */
import { howToType } from '../config.ts'
import {
  StoreRefused,
  toParameters,
  type Engine,
  type Row,
  type Statement,
  type Value,
} from './engine/engine.ts'

type Table = {
  name: string
  columns: string[]
  key: string[]
}

const pageSize = 1_000

/** Tables of sessions and sign-ins. Neither a copy nor a restored backup has their rows. */
export const signInTables = ['session', 'ticket']

/** Tables that are not copied: they belong to one database, to one node, or to work in progress. */
const notCopied = new Set(['migration', 'probe', 'installation', 'sqlar', ...signInTables])

/** Both engines have the same tables, so SQLite's catalog describes both. */
export async function readTables(sqlite: Engine): Promise<Table[]> {
  const names = await sqlite.read(
    `select name from pragma_table_list where schema = 'main' and type = 'table' and name not like 'sqlite_%' order by name`,
  )
  const tables = names.map((row) => String(row['name'])).filter((name) => !notCopied.has(name))
  return Promise.all(tables.map((name) => readTable(sqlite, name)))
}

async function readTable(sqlite: Engine, name: string): Promise<Table> {
  if (name === searchWords.name) return searchWords
  const rows = await sqlite.read('select name, pk from pragma_table_info($1)', [name])
  const keys = rows.filter((row) => Number(row['pk']) > 0)
  keys.sort((one, other) => Number(one['pk']) - Number(other['pk']))
  return {
    name,
    columns: rows.map((row) => String(row['name'])),
    key: keys.map((row) => String(row['name'])),
  }
}

/** The column `doc` is left out: SQLite numbers it by itself. Each engine makes its own index of the words. */
const searchWords: Table = {
  name: 'search_doc',
  columns: ['lead_id', 'words'],
  key: ['lead_id'],
}

type Source = Pick<Engine, 'read'>

/**
 * Copies and compares everything. Returns the first difference, as after a write to the source; then the
 * target stays marked. `tell` is called for each table that was copied.
 */
export async function copyAll(
  ends: { source: Engine; target: Engine },
  tell: (table: string, rows: number) => Promise<void> = () => Promise.resolve(),
): Promise<string | undefined> {
  const { source, target } = ends
  const full = await findRows(target)
  if (full !== undefined) {
    throw new StoreRefused(
      `The database to copy to is not empty (${full} has rows). Name an empty one.`,
    )
  }
  await target.run([[`insert into installation (name, value) values ('copy', 'running')`, []]])
  const tables = await readTables(source.dialect === 'sqlite' ? source : target)
  for (const table of tables) await tell(table.name, await copyTable(table, source, target))
  for (const table of tables) {
    const difference = await findDifference(table, source, target)
    if (difference !== undefined) return difference
  }
  await target.run([[`delete from installation where name = 'copy'`, []]])
  return undefined
}

/** Names a table with rows; `undefined`: the database is empty. A node writes to `installation` first. */
export async function findRows(database: Source): Promise<string | undefined> {
  for (const table of ['lead', 'member', 'installation']) {
    const [row] = await database.read(`select 1 as one from ${table} limit 1`)
    if (row !== undefined) return table
  }
  return undefined
}

export async function refuseHalfCopy(engine: Engine): Promise<void> {
  const [copy] = await engine.read(`select 1 as one from installation where name = 'copy'`)
  if (copy === undefined) return
  throw new StoreRefused(
    `This database is a copy that was not finished. Make an empty one and run "${howToType('migrate-engine')}" or "${howToType('restore')}" again, or name the database it was copied from.`,
  )
}

/** Copies one table; returns how many rows it has. */
export async function copyTable(table: Table, source: Source, target: Engine): Promise<number> {
  let copied = 0
  for (let last: Row | undefined; ;) {
    const rows = await readPage(table, source, last)
    if (rows.length === 0) return copied
    const inserts: Statement[] = []
    for (let at = 0; at < rows.length; at += rowsAtOnce) {
      inserts.push(insertRows(table, rows.slice(at, at + rowsAtOnce)))
    }
    await target.run(inserts)
    copied += rows.length
    last = rows.at(-1)
  }
}

/** Inserts many rows in one statement: a statement per row costs PostgreSQL several times as much. */
const rowsAtOnce = 100

function insertRows({ name, columns }: Table, rows: readonly Row[]): Statement {
  const places = rows.map((_, row) => {
    const first = row * columns.length + 1
    return list(columns.map((column, index) => `$${first + index}`))
  })
  return [
    `insert into ${name} (${list(columns)})
     values (${places.join('), (')})`,
    rows.flatMap((row) => columns.map((column) => row[column]!)),
  ]
}

function readPage(table: Table, engine: Source, after: Row | undefined): Promise<Row[]> {
  const where =
    after === undefined ? '' : `where (${list(table.key)}) > (${toParameters(table.key.length)})`
  return engine.read(
    `select ${list(table.columns)} from ${table.name} ${where} order by ${list(table.key)} limit ${pageSize}`,
    after === undefined ? [] : table.key.map((name): Value => after[name]!),
  )
}

function list(names: readonly string[]): string {
  return names.join(', ')
}

/** Compares row by row. `undefined`: no difference. */
async function findDifference(
  table: Table,
  source: Source,
  target: Source,
): Promise<string | undefined> {
  let last: Row | undefined
  for (;;) {
    const [from, to] = await Promise.all([
      readPage(table, source, last),
      readPage(table, target, last),
    ])
    for (const [index, row] of from.entries()) {
      if (JSON.stringify(row) === JSON.stringify(to[index])) continue
      return `${table.name} ${table.key.map((name) => row[name]).join(' ')}`
    }
    if (to.length > from.length) return `${table.name}: more rows than in the source`
    if (from.length === 0) return undefined
    last = from.at(-1)
  }
}
