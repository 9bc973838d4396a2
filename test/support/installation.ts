/** A place for the service to start in: a data folder, and a database of the engine that this run is for. */
import { join } from 'node:path'
import type { Cleaner } from './cleaner.ts'
import { newDatabase, onPostgres } from './engines.ts'
import type { TestDatabase } from './postgres-database.ts'
import { temporaryFolder } from './service.ts'
import { executeInFile } from './sqlite-database.ts'
import { readStored, readStoredIn, type Stored } from './stored.ts'

export type Installation = Pick<TestDatabase, 'execute'> & {
  /** For `startServiceProcess`. */
  place: { dataDir: string; env: Record<string, string> }
  readStored(): Promise<Stored>
}

export async function newInstallation(t: Cleaner): Promise<Installation> {
  const dataDir = temporaryFolder(t)
  if (!onPostgres) {
    const path = join(dataDir, 'leads.sqlite')
    return {
      place: { dataDir, env: {} },
      execute: (sql) => executeInFile(path, sql),
      readStored: () => Promise.resolve(readStored(path)),
    }
  }
  const database = newDatabase(t)
  await database.execute('select 1')
  return {
    place: { dataDir, env: { DATABASE_URL: database.url } },
    execute: database.execute,
    readStored: () => readStoredIn(database),
  }
}
