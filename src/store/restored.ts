/** Makes a database file out of a backup fit to be used again. */
import { closeSync, fsyncSync, openSync } from 'node:fs'
import { readLetIn } from './access/carry-over.ts'
import type { LetIn } from './access/carry-over.ts'
import type { Erased } from './erased-file.ts'
import { readErasedIn } from './erased-file.ts'
import { StoreRefused } from './engine/engine.ts'
import type { Engine } from './engine/engine.ts'
import { storageFault } from './engine/sqlite-faults.ts'
import { emptyLog, openToLook } from './engine/sqlite-file.ts'
import { openSqlite, SqliteReader } from './engine/sqlite.ts'
import { openStore } from './store.ts'
import type { Store } from './store.ts'

/**
 * Migrates it, runs `work`, and signs everybody out: a session that was ended since must not come
 * back. Synced when it resolves.
 */
export async function renewFile(
  path: string,
  nowMs: number,
  work: (store: Store) => Promise<void>,
): Promise<void> {
  const engine = openSqlite({ path, nowMs })
  try {
    await work(openStore(engine))
    await engine.run([
      ['delete from session', []],
      ['delete from ticket', []],
    ])
  } finally {
    await engine.close()
  }
  // The file is moved without its log, which stays where the reader is the last to close.
  if (!emptyLog(path)) throw new StoreRefused(`Another program uses ${path}. Try again.`)
  const fd = openSync(path, 'r+')
  fsyncSync(fd)
  closeSync(fd)
}

/** Of any schema. Nothing can be read from a damaged one. */
export async function readErasedInFile(path: string): Promise<Erased[]> {
  return (await readInFile(path, (file) => readErasedIn(file))) ?? []
}

/** `undefined`: it is damaged, or older than the inbox. */
export function readLetInFile(path: string): Promise<LetIn | undefined> {
  return readInFile(path, async (file) => {
    const [table] = await file.read(`select 1 from sqlite_schema where name = 'passkey'`)
    return table && readLetIn(file)
  })
}

/** `undefined`: it cannot be read. */
export async function readInFile<T>(
  path: string,
  work: (file: Pick<Engine, 'read'>) => Promise<T>,
): Promise<T | undefined> {
  try {
    const reader = new SqliteReader(openToLook(path))
    try {
      return await work({ read: async (sql, values) => reader.read(sql, values) })
    } finally {
      reader.close()
    }
  } catch (error) {
    if (isUnreadable(error)) return undefined
    throw error
  }
}

function isUnreadable(error: unknown): boolean {
  return (error as { reason?: string }).reason === 'damaged' || storageFault(error) === 'damaged'
}

/** `schema`: of PostgreSQL, with a dot at its end. */
export async function countLeadsIn(engine: Pick<Engine, 'read'>, schema: string): Promise<number> {
  const [row] = await engine.read(`select count(*) as leads from ${schema}lead`)
  return Number(row!['leads'])
}

/** Not erased, and taken after the one with this id. */
export async function countLeadsAfter(
  engine: Pick<Engine, 'read'>,
  id: string,
  schema = '',
): Promise<number> {
  const [row] = await engine.read(
    `select count(*) as leads from ${schema}lead where id > $1 and state <> 'erased'`,
    [id],
  )
  return Number(row!['leads'])
}

/** '' where there is none. */
export async function newestLeadIn(engine: Pick<Engine, 'read'>): Promise<string> {
  const [row] = await engine.read('select id from lead order by id desc limit 1')
  return String(row?.['id'] ?? '')
}

/** The schema of PostgreSQL that the tables are in. */
export async function schemaOf(engine: Pick<Engine, 'read'>): Promise<string> {
  const [row] = await engine.read('select current_schema() as name')
  return String(row!['name'])
}
