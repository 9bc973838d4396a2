/** A read-only SQLite connection with its prepared statements. */
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { StorageUnavailable } from './engine.ts'
import type { Row, Value } from './engine.ts'
import { storageFault } from './sqlite-faults.ts'
import { fileIdentity, openToRead, toSqlite } from './sqlite-file.ts'

export type SqliteReader = {
  read(sql: string, values: readonly Value[]): Row[]
  /** Whether the file that is open is no longer the one at the path. Costs a `stat`. */
  isReplaced(): boolean
  /** The next read opens the file that is there then. */
  reopen(): void
  close(): void
}

export function openReader(path: string, open = openToRead): SqliteReader {
  // Looked at before it is opened: one that is replaced in between is noticed.
  let identity = fileIdentity(path)
  let db: DatabaseSync | undefined = open(path)
  let prepared = new Map<string, Prepared>()
  /** Not closed: see the writer for why. */
  const retired: DatabaseSync[] = []

  return {
    read(sql, values) {
      try {
        if (db === undefined) {
          identity = fileIdentity(path)
          db = open(path)
        }
        let known = prepared.get(sql)
        if (known === undefined) prepared.set(sql, (known = prepare(db, sql)))
        return allRows(known, values)
      } catch (error) {
        const reason = storageFault(error)
        throw reason === undefined ? error : new StorageUnavailable(reason)
      }
    },
    isReplaced: () => db !== undefined && fileIdentity(path) !== identity,
    reopen() {
      if (db !== undefined) retired.push(db)
      db = undefined
      prepared = new Map()
    },
    close: () => db?.close(),
  }
}

type Prepared = { statement: StatementSync; names: readonly string[] }

/** Objects that node:sqlite makes are twice as slow to make and to read as those of `toRows`. */
function prepare(db: DatabaseSync, sql: string): Prepared {
  const statement = db.prepare(toSqlite(sql))
  statement.setReturnArrays(true)
  return { statement, names: statement.columns().map(({ name }) => name) }
}

/** Integers past 2^53, which the service never writes, are read as the nearest number. */
function allRows({ statement, names }: Prepared, values: readonly Value[]): Row[] {
  try {
    return toRows(names, statement.all(...values))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_OUT_OF_RANGE') throw error
    statement.setReadBigInts(true)
    try {
      return toRows(names, statement.all(...values))
    } finally {
      statement.setReadBigInts(false)
    }
  }
}

function toRows(names: readonly string[], found: unknown[]): Row[] {
  return (found as (Value | bigint)[][]).map((cells) => {
    const row: Record<string, Value> = {}
    for (let at = 0; at < names.length; at += 1) {
      const cell = cells[at]!
      row[names[at]!] = typeof cell === 'bigint' ? Number(cell) : cell
    }
    return row
  })
}
