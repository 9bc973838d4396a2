/**
 * The engine that this run of the tests is for: TEST_ENGINE says `sqlite` (the default) or
 * `postgres`. A test file that imports this one is run for each.
 */
import { join } from 'node:path'
import pg from 'pg'
import type { Engine } from '../../src/store/engine.ts'
import { openPostgres } from '../../src/store/postgres.ts'
import { openSqlite } from '../../src/store/sqlite.ts'
import { openPostgresServer } from './postgres.ts'
import { temporaryFolder } from './service.ts'

type Cleaner = { after(callback: () => void | Promise<void>): void }

export const onPostgres = process.env['TEST_ENGINE'] === 'postgres'

/** A new, empty database. */
export type TestDatabase = {
  /** As DATABASE_URL takes it. */
  url: string
  open(nowMs: number): Engine
  /** Behind the back of the service. Several statements may follow each other. */
  execute(sql: string): Promise<Record<string, unknown>[]>
}

export function newDatabase(t: Cleaner): TestDatabase {
  if (onPostgres) return newPostgresDatabase(serverUrl!)
  const path = join(temporaryFolder(t), 'leads.sqlite')
  return {
    url: `sqlite:${path}`,
    open: (nowMs) => openSqlite({ path, nowMs }),
    async execute(sql) {
      const { DatabaseSync } = await import('node:sqlite')
      const db = new DatabaseSync(path, { enableForeignKeyConstraints: false })
      try {
        if (/^select/i.test(sql)) return db.prepare(sql).all()
        db.exec(sql)
        return []
      } finally {
        db.close()
      }
    },
  }
}

/** A schema of its own in the server's database: made in a few milliseconds, gone with the server. */
export function newPostgresDatabase(server: string): TestDatabase {
  const schema = `test_${process.pid}_${(databases += 1)}`
  const url = `${server}&options=${encodeURIComponent(`-c search_path=${schema}`)}`
  const made = ask(server, `create schema ${schema}`)
  return {
    url,
    open: (nowMs) => openLater(made.then(() => openPostgres({ url, nowMs }))),
    execute: (sql) => made.then(() => ask(url, sql)),
  }
}

let databases = 0

const serverUrl = onPostgres
  ? (process.env['TEST_PG_URL'] ?? (await openPostgresServer()).url)
  : undefined

async function ask(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client(url)
  await client.connect()
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows
  } finally {
    await client.end()
  }
}

function openLater(opening: Promise<Engine>): Engine {
  return {
    soleWriter: false,
    run: async (batch) => (await opening).run(batch),
    read: async (sql, values) => (await opening).read(sql, values),
    close: async () => (await opening).close(),
  }
}
