/** A read-only SQLite connection with its prepared statements. */
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { StorageUnavailable } from './engine.ts'
import type { Row, Value } from './engine.ts'
import { storageFault } from './sqlite-faults.ts'
import { openToRead, toSqlite } from './sqlite-file.ts'

export type SqliteReader = {
  read(sql: string, values: readonly Value[]): Row[]
  /** The file was replaced: the next read opens the new one. */
  reopen(): void
  close(): void
}

export function openReader(path: string, open = openToRead): SqliteReader {
  let db: DatabaseSync | undefined = open(path)
  let prepared = new Map<string, StatementSync>()
  /** Not closed: see the writer for why. */
  const retired: DatabaseSync[] = []

  return {
    read(sql, values) {
      try {
        db ??= open(path)
        let statement = prepared.get(sql)
        if (statement === undefined) {
          statement = db.prepare(toSqlite(sql))
          prepared.set(sql, statement)
        }
        return allRows(statement, values)
      } catch (error) {
        const reason = storageFault(error)
        throw reason === undefined ? error : new StorageUnavailable(reason)
      }
    },
    reopen() {
      if (db !== undefined) retired.push(db)
      db = undefined
      prepared = new Map()
    },
    close: () => db?.close(),
  }
}

/** Integers past 2^53, which the service never writes, are read as the nearest number. */
function allRows(statement: StatementSync, values: readonly Value[]): Row[] {
  try {
    return statement.all(...values) as Row[]
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_OUT_OF_RANGE') throw error
    statement.setReadBigInts(true)
    try {
      return statement.all(...values).map((row) => withNumbers(row as BigRow))
    } finally {
      statement.setReadBigInts(false)
    }
  }
}

type BigRow = Readonly<Record<string, Value | bigint>>

function withNumbers(row: BigRow): Row {
  const entries = Object.entries(row).map(([name, value]) => [
    name,
    typeof value === 'bigint' ? Number(value) : value,
  ])
  return Object.fromEntries(entries) as Row
}
