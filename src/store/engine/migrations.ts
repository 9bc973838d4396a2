/**
 * The schema: numbered SQL files, and a column for each field of the contract. A file is for both
 * engines, unless its name ends with that of one: `0004-desk.sqlite.sql`.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { fieldKeys } from '../../contract/fields.ts'
import { howToType } from '../../how-to-type.ts'
import { StoreRefused } from './engine.ts'
import type { Dialect, Engine } from './engine.ts'

const folder = new URL('migrations/', import.meta.url)

/** `sql` is written for SQLite; `ownSql` for one engine, and may be empty. */
export type Migration = { number: number; name: string; sql: string; ownSql: string }

/** A step of a migration: one of these files, or the columns of new fields. */
export type MigrationDone = { schema: number; step: string; ms: number }
/** Called after the commit; never for a database that was empty. */
export type NoteMigration = (done: MigrationDone) => void

/** The schema of a database, maybe an older one: its last migration, and the columns of the table `lead`. */
export type TableSchema = { last: number; columns: readonly string[] }

/** Called before a database that is not empty is migrated; not migrated where it rejects. */
export type BeforeMigration = (
  schema: number,
  source: Pick<Engine, 'read' | 'run'>,
) => Promise<void>

/** The database has a schema that this program does not know yet. */
export class NewerSchema extends StoreRefused {
  constructor(last: number) {
    super(
      `The database was written by a newer version of this program (schema ${last}; this program knows ${newestMigration()}). Start the newer version.`,
    )
  }
}

/** The migrations after `last`. Refuses a database that is newer than this program. */
export function dueMigrations(last: number, dialect: Dialect): Migration[] {
  refuseNewer(last)
  return names()
    .filter((name) => numberOf(name) > last)
    .map((name) => ({
      number: numberOf(name),
      name,
      sql: readText(name),
      ownSql: readOwn(name.replace('.sql', `.${dialect}.sql`)),
    }))
}

export function refuseNewer(last: number): void {
  if (last > newestMigration()) throw new NewerSchema(last)
}

function readOwn(name: string): string {
  return existsSync(new URL(name, folder)) ? readText(name) : ''
}

function readText(name: string): string {
  return readFileSync(new URL(name, folder), 'utf8')
}

/** For a command: only a start migrates, after a backup. */
export const olderSchema = `The database has the schema of an older version of this program. Start the service once ("${howToType('serve')}"): that makes a backup and migrates it.`

/** The name of that step. */
export const fieldsStep = 'fields'

/** Adds the columns of fields that the table `lead` does not have yet; `like`: only those of that schema. */
export function addFieldColumns(existing: readonly string[], like?: TableSchema): string[] {
  return fieldKeys
    .filter((field) => !existing.includes(field) && (like?.columns.includes(field) ?? true))
    .map((field) => `alter table lead add column ${field} text not null default ''`)
}

/** The schema of this program. */
export function newestMigration(): number {
  return numberOf(names().at(-1) ?? '0')
}

function names(): string[] {
  return readdirSync(folder)
    .filter((name) => /^[^.]+\.sql$/.test(name))
    .sort()
}

function numberOf(name: string): number {
  return Number.parseInt(name, 10)
}
