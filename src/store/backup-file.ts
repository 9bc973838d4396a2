/**
 * The database file of a backup: copying it, adding the other files, and putting it in the place of
 * the present one. An unpacked backup is a database whose table `sqlar` holds the other files
 * (https://sqlite.org/sqlar.html).
 */
import { closeSync, existsSync, fsyncSync, linkSync, openSync, renameSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { nobody, senderMail } from '../contract/notices.ts'
import { minuteMs } from '../time.ts'
import { isPostgres } from '../setting-values.ts'
import { copyAll, copyTable, readTables, refuseFull, signInTables } from './postgres/copy.ts'
import { insertRows, StoreRefused, type Engine, type Row, type Statement } from './engine/engine.ts'
import { lastNumber, withoutComments } from './engine/migrations.ts'
import {
  emptyLogOf,
  look,
  openToRead,
  openToWrite,
  storageFault,
  withLogs,
} from './engine/sqlite-file.ts'
import { doneMigrations } from './engine/sqlite-schema.ts'
import { openSqlite } from './engine/sqlite.ts'
import type { Erased } from './leads/erasing.ts'
import { syncFolder } from './files.ts'
import { namedHashes } from './photos/pictures.ts'
import { askServer, openEngine, withEngine } from './open.ts'
import { joinSecret } from './secret.ts'
import { Store } from './store.ts'

/** This time is long, because the disk may be slow and the service busy. */
const commitTimeoutMs = 10 * minuteMs

/** Copies the database (a path or a PostgreSQL URL) as it is at one moment, even while the service runs. */
export async function copyDatabase(database: string, into: string): Promise<void> {
  // Made before the copy, so that only this user may read it.
  closeSync(openSync(into, 'wx', 0o600))
  if (isPostgres(database)) return copyServer(database, into)
  using db = openToRead(database)
  db.prepare('vacuum into ?').run(into)
}

function copyServer(url: string, path: string): Promise<void> {
  return askServer(url, (server) =>
    server.snapshot((source) =>
      withEngine(openSqlite({ path, commitTimeoutMs }), async (target) => {
        for (const table of await readTables(target)) await copyTable(table, source, target)
      }),
    ),
  )
}

export type ArchivedFile = { name: string; bytes: Uint8Array }

export const archiveTable =
  'create table sqlar (name text primary key, mode int, mtime int, sz int, data blob)'

/** Does not compress the files, because zstd later compresses the whole copy. */
export function addFiles(path: string, files: Iterable<ArchivedFile>, at: number): void {
  using db = new DatabaseSync(path)
  // Without a journal and syncs, because a copy that is cut off is thrown away and made again.
  // `sqlar` exists already if the service uses a backup that somebody unpacked by hand.
  db.exec(`pragma journal_mode = off; pragma synchronous = off; begin;
    drop table if exists sqlar; ${archiveTable}`)
  const insert = db.prepare('insert into sqlar values (?, ?, ?, ?, ?)')
  for (const { name, bytes } of files) {
    insert.run(name, 0o100600, Math.floor(at / 1000), bytes.length, bytes)
  }
  db.exec('commit')
}

/**
 * Returns the number of the newest migration, or 0 if the file is no backup. The file may come from
 * anybody: in place of the table of migrations it may have a view that is never at its end, so the
 * table is read only if it has plain columns.
 */
export function readBackupSchema(path: string): number {
  return look(path, (db) => {
    const found = db
      .prepare(`select name, sql from sqlite_schema where name in ('migration', 'sqlar')`)
      .all()
    const [migration, ...more] = found.filter(({ name }) => name === 'migration')
    const hasFiles = found.length === 2 && more.length === 0
    const isPlain = plainMigration.test(withoutComments(String(migration?.['sql'])))
    return hasFiles && isPlain ? lastNumber(doneMigrations(db)) : 0
  })
}

const plainMigration = /^create table migration \([\w, ]+\)(?: strict)?$/i

/** Skips values of other types than `addFiles` writes, because a backup may come from anybody. */
export function readFiles(path: string): Map<string, Buffer> {
  return look(path, (db) => {
    if (db.prepare(`select 1 from sqlite_schema where name = 'sqlar'`).get() === undefined)
      return new Map()
    const sql = `select name, data from sqlar where typeof(name) = 'text' and typeof(data) = 'blob'`
    const rows = db.prepare(sql).all() as { name: string; data: Uint8Array }[]
    return new Map(rows.map(({ name, data }) => [name, Buffer.from(data)]))
  })
}

/** The pictures of the photos in an unpacked backup. An older schema has none. */
export function readPictureNames(path: string): string[] {
  return look(path, (db) => {
    const hasPhotos = `select 1 from sqlite_schema where type = 'table' and name = 'photo'`
    if (db.prepare(hasPhotos).get() === undefined) return []
    return db
      .prepare(namedHashes)
      .all()
      .map(({ hash }) => String(hash))
  })
}

/** The database that a restore replaces. */
export type Present = {
  leads: number
  /** Leads that are newer than the newest lead of the backup, and not erased. */
  later: number
  erased: Erased[]
  access: Map<string, Row[]>
}

const kept = ['member', 'passkey']

export function readPresent(path: string, backup: string): Present | undefined {
  if (!existsSync(path)) return undefined
  try {
    const newest = rowsOfFile(backup, 'select max(id) as id from lead')[0]?.['id'] ?? ''
    const count = `select count(*) as leads, sum(id > ? and state <> 'erased') as later from lead`
    const [counts] = rowsOfFile(path, count, newest)
    const erased = rowsOfFile(path, `select id, erased_at from lead where state = 'erased'`)
    return {
      leads: Number(counts!['leads']),
      later: Number(counts!['later']),
      erased: erased.map((row) => ({ leadId: String(row['id']), at: Number(row['erased_at']) })),
      access: new Map(kept.map((table) => [table, rowsOfFile(path, `select * from ${table}`)])),
    }
  } catch (error) {
    // `refused`: a table or column is missing, so another program or version made the file.
    if (['damaged', 'refused'].includes(storageFault(error) ?? '')) return undefined
    throw error
  }
}

function rowsOfFile(path: string, sql: string, ...values: Row[string][]): Row[] {
  return look(path, (db) => db.prepare(sql).all(...values) as Row[])
}

/** A restore keeps the members of the present database if it has any, otherwise those of the backup. */
export function hasMembers(present: Present | undefined): present is Present {
  return (present?.access.get('member') ?? []).length > 0
}

/** Returns how many waiting emails to senders were dropped. */
export async function renewFile(
  path: string,
  present: Present | undefined,
  work: (store: Store) => Promise<void>,
): Promise<number> {
  return withEngine(openSqlite({ path, commitTimeoutMs }), async (engine) => {
    const members = hasMembers(present) ? await replaceMembers(engine, present) : []
    const [dropped] = await engine.run([
      dropSenderMail(Date.now()),
      ...signInTables.map((table): Statement => [`delete from ${table}`, []]),
      ...members,
    ])
    await work(new Store(engine, nobody))
    return Number(dropped)
  })
}

/** What waited in the backup may have been sent since, and the date of a visit may have changed. */
function dropSenderMail(at: number): Statement {
  return [
    `update delivery set outcome = 'dropped', done_at = $1, leased_until = 0, problem = ''
     where channel = $2 and done_at is null`,
    [at, senderMail],
  ]
}

/** Empties the log and syncs, because a restore then moves only the database file into place. */
export function dropFiles(path: string): void {
  const db = openToWrite(path)
  // Rewrites the file, because leads that were erased again leave copies in free space.
  db.exec('drop table if exists sqlar; vacuum')
  const isEmptied = emptyLogOf(db)
  db.close()
  if (!isEmptied) throw new StoreRefused(`Another program uses ${path}. Try again.`)
  const fd = openSync(path, 'r+')
  fsyncSync(fd)
  closeSync(fd)
}

/** Call `closeLog` before: SQLite would apply a log that is left at `path` to the new file. */
export function replaceFile(path: string, by: string, keepAs: string): void {
  if (existsSync(path)) linkSync(path, keepAs)
  renameSync(by, path)
  syncFolder(dirname(path))
}

/** Opening and closing the file moves the log into it, unless another program uses the file. */
export function closeLog(path: string, keepAs: string): void {
  const [, ...logs] = withLogs(path)
  try {
    openToWrite(path).close()
  } catch (error) {
    // A damaged database is kept as `keepAs`, and so is its log.
    if (storageFault(error) !== 'damaged') throw error
    for (const log of logs) if (existsSync(log)) renameSync(log, log.replace(path, keepAs))
  }
  if (!logs.some((log) => existsSync(log))) return
  throw new StoreRefused(`Another program uses the database ${path}. Stop it, then try again.`)
}

/** The schemas of the replaced and the restored database may differ, so only common columns are copied. */
async function replaceMembers(engine: Engine, { access }: Present): Promise<Statement[]> {
  const statements: Statement[] = []
  for (const [table, rows] of access) {
    const columns = await engine.read('select name from pragma_table_info($1)', [table])
    const both = columns.map(({ name }) => String(name)).filter((name) => name in (rows[0] ?? {}))
    const shared = (row: Row) => Object.fromEntries(both.map((name) => [name, row[name]]))
    statements.push(
      [`delete from ${table}`, []],
      ...rows.map((row) => insertRows(table, shared(row))),
    )
  }
  return statements
}

export async function fillServer(url: string, path: string, dataDir: string): Promise<void> {
  await withEngine(await openEngine(path), async (source) =>
    withEngine(await openEngine(url), async (target) => {
      await copyAll(source, target)
      await joinSecret(target, dataDir)
    }),
  )
}

export async function refuseFullServer(url: string): Promise<void> {
  await withEngine(await openEngine(url), refuseFull)
}
