/** The steps that make the schema: numbered SQL files, the same for every engine. */
import { readdirSync, readFileSync } from 'node:fs'
import { StoreRefused } from './engine.ts'

const folder = new URL('migrations/', import.meta.url)

export type Migration = { number: number; name: string; sql: string }

/** What a database that has come as far as `last` still lacks. Refuses one that is ahead of us. */
export function dueMigrations(last: number): Migration[] {
  const newest = newestMigration()
  if (last > newest) {
    throw new StoreRefused(
      `The database was written by a newer version of this program (schema ${last}; this program knows ${newest}). Start the newer version, or restore a backup made before it.`,
    )
  }
  return names()
    .filter((name) => numberOf(name) > last)
    .map((name) => ({
      number: numberOf(name),
      name,
      sql: readFileSync(new URL(name, folder), 'utf8'),
    }))
}

export function newestMigration(): number {
  return numberOf(names().at(-1) ?? '0')
}

function names(): string[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.sql'))
    .sort()
}

function numberOf(name: string): number {
  return Number.parseInt(name, 10)
}
