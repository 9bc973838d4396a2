/**
 * Copies everything from one engine to the other, table by table in key order, so that an interrupted
 * copy can go on. The target is marked until everything was compared; a service refuses to start on
 * an unfinished copy.
 */
import { randomUUID } from 'node:crypto'
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

/** Who is signed in or signing in. Neither a copy nor a restored backup has them. */
export const signInTables = ['session', 'ticket']

/** They belong to one database or one node, or to what goes on just now. */
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

/** Without its numbers, which SQLite gives by itself. Each engine makes its index of the words. */
const searchWords: Table = {
  name: 'search_doc',
  columns: ['lead_id', 'words'],
  key: ['lead_id'],
}

/**
 * Copies and compares everything. Returns the first difference, as after a write to the source; then the
 * target stays marked. `tell` is called for each table that was copied.
 */
export async function copyAll(
  ends: { source: Engine; target: Engine },
  tell: (table: string, rows: number) => Promise<void> = () => Promise.resolve(),
): Promise<string | undefined> {
  const { source, target } = ends
  await beginCopy(source, target)
  const tables = await readTables(source.dialect === 'sqlite' ? source : target)
  for (const table of tables) {
    let copied = 0
    await copyTable(table, ends, (rows) => (copied += rows))
    await tell(table.name, copied)
  }
  for (const table of tables) {
    const difference = await findDifference(table, ends)
    if (difference !== undefined) return difference
  }
  await endCopy(source, target)
  return undefined
}

/** Refuses a target that holds anything but the beginning of this copy. */
async function beginCopy(source: Engine, target: Engine): Promise<void> {
  const mark = await markOf(source)
  const [copy] = await target.read(`select value from installation where name = 'copy'`)
  const of = String(copy?.['value'] ?? '').split(' ')[0]
  if (of === mark) return
  const [lead] = await target.read('select id from lead limit 1')
  if (copy !== undefined || lead !== undefined) {
    throw new StoreRefused(
      `The database to copy to holds ${copy ? 'a copy of another database' : 'leads of its own'}. Name an empty one.`,
    )
  }
  await target.run([setInstallation('copy', `${mark} running`)])
}

/** After this a service may start on the target. */
async function endCopy(source: Engine, target: Engine): Promise<void> {
  await target.run([setInstallation('copy', `${await markOf(source)} done`)])
}

export async function refuseHalfCopy(engine: Engine): Promise<void> {
  const [copy] = await engine.read(`select value from installation where name = 'copy'`)
  if (!String(copy?.['value'] ?? '').endsWith(' running')) return
  throw new StoreRefused(
    `This database is a copy that was not finished. Run "${howToType('migrate-engine')}" once more, or "${howToType('restore')}" with an empty database, or name the database it was copied from.`,
  )
}

/** An id that a database gets when it is first copied from. */
async function markOf(source: Engine): Promise<string> {
  await source.run([
    [
      `insert into installation (name, value) values ('mark', $1) on conflict (name) do nothing`,
      [randomUUID()],
    ],
  ])
  const [row] = await source.read(`select value from installation where name = 'mark'`)
  return String(row?.['value'])
}

function setInstallation(name: string, value: string): Statement {
  return [
    'insert into installation (name, value) values ($1, $2) on conflict (name) do update set value = $2',
    [name, value],
  ]
}

/** Continues after the last row of the target. */
export async function copyTable(
  table: Table,
  { source, target }: { source: Pick<Engine, 'read'>; target: Engine },
  progress: (rows: number) => void,
): Promise<void> {
  let [last] = await target.read(`select ${list(table.key)} from ${table.name}
    order by ${table.key.map((name) => `${name} desc`).join(', ')} limit 1`)
  for (;;) {
    const rows = await readPage(table, source, last)
    if (rows.length === 0) return
    const inserts: Statement[] = []
    for (let at = 0; at < rows.length; at += rowsAtOnce) {
      inserts.push(insertRows(table, rows.slice(at, at + rowsAtOnce)))
    }
    await target.run(inserts)
    progress(rows.length)
    last = rows.at(-1)
  }
}

/** A statement for each row would cost PostgreSQL several times as much. */
const rowsAtOnce = 100

function insertRows({ name, columns }: Table, rows: readonly Row[]): Statement {
  const places = rows.map((_, row) => {
    const first = row * columns.length + 1
    return list(columns.map((column, index) => `$${first + index}`))
  })
  return [
    `insert into ${name} (${list(columns)})
     values (${places.join('), (')}) on conflict do nothing`,
    rows.flatMap((row) => columns.map((column) => row[column]!)),
  ]
}

function readPage(
  table: Table,
  engine: Pick<Engine, 'read'>,
  after: Row | undefined,
): Promise<Row[]> {
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

export async function countCopied(
  engine: Pick<Engine, 'read'>,
): Promise<{ leads: number; events: number }> {
  const [row] = await engine.read(
    'select (select count(*) from lead) as leads, (select count(*) from event) as events',
  )
  return { leads: Number(row!['leads']), events: Number(row!['events']) }
}

/** Compares row by row. `undefined`: no difference. */
async function findDifference(
  table: Table,
  { source, target }: { source: Pick<Engine, 'read'>; target: Pick<Engine, 'read'> },
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
