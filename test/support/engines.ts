/**
 * The engine that this run of the tests is for: TEST_ENGINE says `sqlite` (the default) or
 * `postgres`. Which test files run on which is in test/which.ts.
 */
import type { Cleaner } from './cleaner.ts'
import { newPostgresDatabase, type TestDatabase } from './postgres-database.ts'
import { openPostgresServer } from './postgres.ts'
import { newSqliteDatabase } from './sqlite-database.ts'

export const onPostgres = process.env['TEST_ENGINE'] === 'postgres'

export function newDatabase(t: Cleaner): TestDatabase {
  if (onPostgres) return newPostgresDatabase(serverUrl!)
  return newSqliteDatabase(t)
}

const serverUrl = onPostgres
  ? (process.env['TEST_PG_URL'] ?? (await openPostgresServer()).url)
  : undefined
