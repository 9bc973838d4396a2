/**
 * Copies all tables from one database to another, for example from SQLite to PostgreSQL. Until
 * `copyAll` has compared all rows, the target is marked as unfinished, and no service starts on it.
 */
import { minuteMs } from '../../time.ts'
import { howToType, plural } from '../../words.ts'
import {
  fromRow,
  insertRows,
  StoreRefused,
  toParameters,
  type Engine,
  type Row,
  type Statement,
} from '../engine/engine.ts'

/** `columns` and `key` are names of columns, separated by commas. */
type Table = { name: string; columns: string; key: string }

const pageSize = 500

/** After a restore or a copy to another engine, everybody signs in again. */
export const signInTables = ['session', 'push_device', 'ticket']

const notCopied = ['migration', 'probe', 'installation', 'sqlar', ...signInTables]

export async function readTables(sqlite: Engine): Promise<Table[]> {
  const tables = await sqlite.read(
    `select list.name, group_concat(info.name, ', ' order by cid) as columns,
       group_concat(info.name, ', ' order by info.pk) filter (where info.pk > 0) as key
     from pragma_table_list as list, pragma_table_info(list.name) as info
     where list.schema = 'main' and list.type = 'table' and list.name not like 'sqlite_%'
       and list.name not in (${toParameters(notCopied.length)})
     group by list.name order by list.name`,
    notCopied,
  )
  return tables.map(fromRow<Table>)
}

type CopiedEngine = Pick<Engine, 'read'>

type ReportLine = (line: string) => Promise<void>

export async function copyAll(source: Engine, target: Engine, report?: ReportLine): Promise<void> {
  await refuseFull(target)
  await target.run([[`insert into installation (name, value) values ('copy', 'running')`, []]])
  const tables = await readTables(source.dialect === 'sqlite' ? source : target)
  for (const table of tables) {
    const rows = await copyTable(table, source, target, report)
    await report?.(`${table.name}: ${plural(rows, 'row')} copied`)
  }
  for (const table of tables) {
    await refuseDifference(table, source, target)
    await report?.(`${table.name}: compared`)
  }
  await target.run([[`delete from installation where name = 'copy'`, []]])
}

/** `installation` has a row if a node on PostgreSQL has started, or a copy was not finished. */
export async function refuseFull(target: CopiedEngine): Promise<void> {
  for (const table of ['lead', 'member', 'installation']) {
    const [row] = await target.read(`select 1 as one from ${table} limit 1`)
    if (row === undefined) continue
    throw new StoreRefused(
      `The database to copy to is not empty (${table} has rows), and nothing in it is replaced. Name an empty one.`,
    )
  }
}

/** PostgreSQL lists the connections of services by this name, and those of commands by another. */
export const serviceName = 'lead-intake'

/** A service on another machine would go on keeping leads in the source, and they would stay behind. */
export async function refuseServed(source: CopiedEngine): Promise<void> {
  const [row] = await source.read(
    `select count(*) as connections, max(host(client_addr)) as address from pg_stat_activity
     where application_name = $1 and datname = current_database()`,
    [serviceName],
  )
  const { connections, address } = row!
  if (connections === 0) return
  const from = address === undefined ? '' : `, for example from ${String(address)}`
  throw new StoreRefused(
    `A running service uses the database to copy from (connections: ${String(connections)}${from}). Stop the service on every node first.`,
  )
}

export async function refuseHalfCopy(engine: Engine): Promise<void> {
  const [copy] = await engine.read(`select 1 as one from installation where name = 'copy'`)
  if (copy === undefined) return
  throw new StoreRefused(
    `This database is a copy that was not finished. Make an empty one and run "${howToType('migrate-engine')}" or "${howToType('restore')}" again, or name the database it was copied from.`,
  )
}

export async function copyTable(
  table: Table,
  source: CopiedEngine,
  target: Engine,
  report?: ReportLine,
): Promise<number> {
  let copied = 0
  for (let last: Row | undefined; ;) {
    const rows = await readPage(table, source, last)
    if (rows.length === 0) return copied
    await target.run(insertPage(table, rows), pageDeadlineMs)
    copied += rows.length
    if (rows.length === pageSize) await report?.(`${table.name}: ${copied} rows so far`)
    last = rows.at(-1)
  }
}

/** SQLite looks up each parameter among all of its statement: 16,000, for a page of leads, take a second. */
function insertPage({ name }: Table, rows: readonly Row[]): Statement[] {
  const batch: Statement[] = []
  for (let at = 0; at < rows.length; at += rowsAtOnce) {
    batch.push(insertRows(name, ...rows.slice(at, at + rowsAtOnce)))
  }
  return batch
}

const rowsAtOnce = 25

/** This time is long, because a page can take seconds on a slow machine, and no sender waits. */
const pageDeadlineMs = 10 * minuteMs

function readPage(table: Table, engine: CopiedEngine, after: Row | undefined): Promise<Row[]> {
  const { name, columns, key } = table
  const last = after === undefined ? [] : key.split(', ').map((column) => after[column]!)
  const where = after === undefined ? '' : `where (${key}) > (${toParameters(last.length)})`
  return engine.read(
    `select ${columns} from ${name} ${where} order by ${key} limit ${pageSize}`,
    last,
  )
}

async function refuseDifference(
  table: Table,
  source: CopiedEngine,
  target: CopiedEngine,
): Promise<void> {
  for (let last: Row | undefined; ;) {
    const from = await readPage(table, source, last)
    const to = await readPage(table, target, last)
    if (JSON.stringify(from) !== JSON.stringify(to)) {
      throw new StoreRefused(
        `The copy differs from its source (${table.name}). Was the service still running? Stop it, and copy again, to an empty database.`,
      )
    }
    if (from.length === 0) return
    last = from.at(-1)
  }
}
