/** What released versions have written: see test/data/released/README.md. */
import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { zstdDecompressSync } from 'node:zlib'
import type { Cleaner } from './cleaner.ts'
import { newDatabase, onPostgres } from './engines.ts'
import type { Installation } from './installation.ts'
import { temporaryFolder } from './service.ts'

const folder = 'test/data/released'

export const releases = readdirSync(folder, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name)

export type Release = Pick<Installation, 'place'> & {
  /** What a sender was told by that version. */
  told: { reference: string; receipt: string }
  ask(sql: string): Promise<Record<string, unknown>[]>
}

/** As that version left it, on the engine of this run. */
export async function installRelease(t: Cleaner, version: string): Promise<Release> {
  const own = join(folder, version)
  const told = JSON.parse(readFileSync(join(own, 'told.json'), 'utf8')) as Record<
    'sqlite' | 'postgres',
    Release['told']
  >
  const dataDir = temporaryFolder(t)
  if (!onPostgres) {
    const path = installFile(dataDir, version)
    return { place: { dataDir, env: {} }, told: told.sqlite, ask: (sql) => askFile(path, sql) }
  }
  const { url, execute } = newDatabase(t)
  await execute(readFileSync(join(own, 'postgres.sql'), 'utf8'))
  return { place: { dataDir, env: { DATABASE_URL: url } }, told: told.postgres, ask: execute }
}

/** The database file and the secret. Returns the path of the file. */
export function installFile(dataDir: string, version: string): string {
  const own = join(folder, version)
  const path = join(dataDir, 'leads.sqlite')
  mkdirSync(dataDir, { recursive: true })
  copyFileSync(join(own, 'secret'), join(dataDir, 'secret'))
  writeFileSync(path, zstdDecompressSync(readFileSync(join(own, 'leads.sqlite.zst'))))
  return path
}

/** What people sent, what happened to it, and what waits to be told. */
export async function readAll({ ask }: Pick<Release, 'ask'>): Promise<unknown> {
  const fields = 'id, received_at, door, state, name, email, phone, postcode, message, unlisted'
  return [
    await ask(`select ${fields}, fingerprint from lead order by id`),
    await ask('select * from event order by lead_id, number'),
    await ask('select id, kind, outcome, attempts, problem from delivery order by id'),
    await ask('select * from delivery_try order by delivery_id, at, number'),
  ]
}

export async function askFile(path: string, sql: string): Promise<Record<string, unknown>[]> {
  const { DatabaseSync } = await import('node:sqlite')
  const db = new DatabaseSync(path)
  try {
    return db.prepare(sql).all()
  } finally {
    db.close()
  }
}
