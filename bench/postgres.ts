/** A PostgreSQL for the benchmark, with every commit synced, and a database in it for each server. */
import pg from 'pg'
import { openPostgresServer } from '../test/support/postgres.ts'

export type Databases = { urls: string[]; close(): Promise<void> }

export async function startDatabases(names: readonly string[]): Promise<Databases> {
  const server = await openPostgresServer({ durable: true })
  const client = new pg.Client(server.url)
  await client.connect()
  for (const name of names) await client.query(`create database ${name}`)
  await client.end()
  return {
    urls: names.map((name) => server.url.replace('/postgres?', `/${name}?`)),
    close: () => server.close(),
  }
}
