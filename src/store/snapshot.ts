/** A copy of the whole database, as it is at one moment, into one SQLite file. Works beside the service. */
import { closeSync, fsyncSync, openSync } from 'node:fs'
import { minuteMs } from '../durations.ts'
import { isPostgres } from '../setting-values.ts'
import { copyTable, readTables } from './copy.ts'
import { readServerSnapshot } from './engine/postgres-snapshot.ts'
import { openSqlite } from './engine/sqlite.ts'
import { copyFile } from './engine/sqlite-copy.ts'

/** Beside a server and a service under load, the disk may be slow. */
const commitTimeoutMs = 10 * minuteMs

/** `rows`: how many were copied so far, where that is known. */
export type SnapshotProgress = (rows: number) => void

/** `database` is a path or the URL of a PostgreSQL; `into` must not exist. */
export async function takeSnapshot(
  database: string,
  into: string,
  progress: SnapshotProgress,
): Promise<void> {
  if (!isPostgres(database)) {
    copySynced(database, into)
    return
  }
  const loose = `${into}-loose`
  await copyServer(database, loose, progress)
  // Without log, and without the gaps of many small inserts.
  copySynced(loose, into)
}

/** SQLite takes an empty file, which is made here so that nobody else can read it. */
function copySynced(path: string, into: string): void {
  const fd = openSync(into, 'wx', 0o600)
  try {
    copyFile(path, into)
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
}

async function copyServer(url: string, path: string, progress: SnapshotProgress): Promise<void> {
  await readServerSnapshot(url, async (source, like) => {
    const target = openSqlite({ path, nowMs: Date.now(), like, commitTimeoutMs })
    try {
      let copied = 0
      for (const table of await readTables(target)) {
        await copyTable(table, { source, target }, (rows) => progress((copied += rows)))
      }
    } finally {
      await target.close()
    }
  })
}
