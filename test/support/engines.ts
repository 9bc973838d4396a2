/**
 * The engine that this run of the tests is for: TEST_ENGINE says `sqlite` (the default) or
 * `postgres`. A test file that imports this one is run for each.
 */
import { join } from 'node:path'
import { openSqlite } from '../../src/store/sqlite.ts'
import { newPostgresDatabase } from './postgres-database.ts'
import type { TestDatabase } from './postgres-database.ts'
import { openPostgresServer } from './postgres.ts'
import { temporaryFolder } from './service.ts'

type Cleaner = { after(callback: () => void | Promise<void>): void }

export const onPostgres = process.env['TEST_ENGINE'] === 'postgres'

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

const serverUrl = onPostgres
  ? (process.env['TEST_PG_URL'] ?? (await openPostgresServer()).url)
  : undefined
