/**
 * The schema: numbered SQL files, the same for every engine, and a column for each field of the
 * contract.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { fieldKeys } from '../../contract/fields.ts'
import { StoreRefused } from './engine.ts'

const folder = new URL('migrations/', import.meta.url)

export type Migration = { number: number; name: string; sql: string }

/** The migrations after `last`. Refuses a database that is newer than this program. */
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

/** For a command that only reads, and so does not migrate. */
export const olderSchema =
  'The database has the schema of an older version of this program, and this command only reads. Start the service once ("lead-intake serve"): that migrates it.'

/** Adds the columns of fields that the table `lead` does not have yet. */
export function addFieldColumns(existing: readonly string[]): string[] {
  return fieldKeys
    .filter((field) => !existing.includes(field))
    .map((field) => `alter table lead add column ${field} text not null default ''`)
}

function newestMigration(): number {
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
