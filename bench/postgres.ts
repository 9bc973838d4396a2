/** A PostgreSQL server that syncs every commit, with a database for each service. */
import pg from 'pg'
import { openPostgresServer } from '../test/support/postgres.ts'
import type { Settings } from './server-process.ts'

/** `settings`: one for each name, in order. */
export type Databases = { settings: Settings[]; close(): Promise<void> }

export async function startDatabases(names: readonly string[]): Promise<Databases> {
  const server = await openPostgresServer({ durable: true })
  const client = new pg.Client(server.url)
  await client.connect()
  for (const name of names) await client.query(`create database ${name}`)
  await client.end()
  return {
    settings: names.map((name) => ({
      DATABASE_URL: server.url.replace('/postgres?', `/${name}?`),
    })),
    close: () => server.close(),
  }
}
