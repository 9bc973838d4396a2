/**
 * The numbered migrations, and which of them a database lacks.
 *
 * `0002-name.sql` is written for SQLite and runs on both engines. `0002-name.postgres.sql` runs
 * after it, only on PostgreSQL. Files are only added: people run clones, and their databases were made
 * by the bytes of the files that are here.
 */
import { hash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { fieldKeys } from '../../contract/fields.ts'
import { howToType } from '../../words.ts'
import { StoreRefused, type Dialect } from './engine.ts'

const folder = new URL('migrations/', import.meta.url)

export type DoneMigration = { name: string; hash: string }
export type Migration = DoneMigration & { sql: string; ownSql: string }

export class NewerSchema extends StoreRefused {
  constructor(schema: number) {
    super(
      `The database was written by a newer version of this program (schema ${schema}; this program knows ${newestMigration()}). Start the newer version.`,
    )
  }
}

export const olderSchema = `The database is empty, or has the schema of an older version of this program. Start the service once ("${howToType('serve')}"): that migrates it.`

function otherSchema(name: string): string {
  return `The database belongs to another build of this program (${name} differs). Start that build again, or name an empty folder in DATA_DIR (with PostgreSQL an empty database in DATABASE_URL). To take the leads along, run this with that build: "${howToType('leads export')}".`
}

export function dueMigrations(done: readonly DoneMigration[], dialect: Dialect): Migration[] {
  const known = migrationsFor(dialect)
  for (const [index, { name, hash: text }] of known.slice(0, done.length).entries()) {
    const found = done[index]!
    if (found.name !== name || found.hash !== text) throw new StoreRefused(otherSchema(name))
  }
  if (done.length > known.length) throw new NewerSchema(lastNumber(done))
  return known.slice(done.length)
}

/** Read once: a start asks several times. */
const read: Partial<Record<Dialect, readonly Migration[]>> = {}

function migrationsFor(dialect: Dialect): readonly Migration[] {
  return (read[dialect] ??= names().map((name) => {
    const sql = readText(name)
    const ownSql = readText(name.replace('.sql', `.${dialect}.sql`))
    return { name, sql, ownSql, hash: hashOfSql(sql + ownSql) }
  }))
}

function readText(name: string): string {
  const path = new URL(name, folder)
  return existsSync(path) ? readFileSync(path, 'utf8') : ''
}

function hashOfSql(sql: string): string {
  return hash('sha256', withoutComments(sql), 'base64url').slice(0, 16)
}

/**
 * Makes one blank of comments, line breaks and indentation, because changing them does not change
 * the schema. Leaves quoted text as it is: what looks like a comment there is none.
 */
export function withoutComments(sql: string): string {
  const quotedOrBlank = /('[^']*'|"[^"]*")|(?:--[^\n]*|\s)+/g
  return sql.replaceAll(quotedOrBlank, (_, quoted?: string) => quoted ?? ' ')
}

/** `fields` may be the columns of a backup that comes from anybody, so odd names are left out. */
export function addFieldColumns(
  existing: readonly string[],
  fields: readonly string[] = fieldKeys,
): string[] {
  return fields
    .filter((field) => !existing.includes(field) && /^[a-z_]+$/.test(field))
    .map((field) => `alter table lead add column ${field} text not null default ''`)
}

export function newestMigration(): number {
  return lastNumber(names().map((name) => ({ name })))
}

export function lastNumber(done: readonly Pick<DoneMigration, 'name'>[]): number {
  return Number.parseInt(done.at(-1)?.name ?? '', 10) || 0
}

function names(): string[] {
  return readdirSync(folder)
    .filter((name) => /^[^.]+\.sql$/.test(name))
    .sort()
}
