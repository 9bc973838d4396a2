/** Opens a SQLite file, and says what is wrong with it. The writer's thread loads this, so it imports little. */
import { existsSync, statSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import { StoreRefused } from './engine.ts'

export function withLogs(path: string): string[] {
  return [path, `${path}-wal`, `${path}-shm`]
}

export function openToWrite(path: string): DatabaseSync {
  const db = new DatabaseSync(path, { timeout: 2_000 })
  db.exec(`
    -- The main thread reads while the writer commits, and a commit syncs only the log.
    pragma journal_mode = wal;
    -- Syncs the log at each commit. The weaker \`normal\` may lose the last commits in a power cut.
    pragma synchronous = full;
    -- On macOS a plain fsync stops at the cache of the drive. Other systems ignore this.
    pragma fullfsync = on;
    -- Overwrites what is deleted with zeros, because an erased lead must not stay readable in the file.
    pragma secure_delete = on;
    -- A restored file may come from anybody; its views and triggers may call only harmless functions.
    pragma trusted_schema = off;
    -- Shrinks the log to 16 MiB after a burst. Otherwise it keeps its largest size for good.
    pragma journal_size_limit = 16777216;
    -- Moves the log into the file at every 3,000 pages (12 MiB), a third as often as by default, because
    -- the commit that does so is slow.
    pragma wal_autocheckpoint = 3000;
  `)
  return db
}

export function openToRead(path: string | URL): DatabaseSync {
  const db = new DatabaseSync(path, { readOnly: true, timeout: 100 })
  // The file may come from anybody, as in `openToWrite`.
  db.exec('pragma trusted_schema = off')
  return db
}

/** A file without a log is opened as immutable, because a plain read-only connection would create a log. */
export function look<T>(path: string, work: (db: DatabaseSync) => T): T {
  const hasLog = existsSync(`${path}-wal`) || existsSync(`${path}-journal`)
  const url = pathToFileURL(path)
  url.searchParams.set('immutable', '1')
  using db = openToRead(hasLog ? path : url)
  return work(db)
}

/** Returns false if another program uses the file. */
export function emptyLogOf(db: DatabaseSync): boolean {
  const [done] = db.prepare('pragma wal_checkpoint(truncate)').all()
  return done?.['busy'] === 0
}

/** The identity stays when the file is renamed. */
export function fileIdentity(path: string): string | undefined {
  const stat = statSync(path, { throwIfNoEntry: false })
  return stat && `${stat.dev}:${stat.ino}`
}

/** Only reads, because a writing connection would move the log into the damaged file when it closes. */
export function findDamage(path: string, check = 'integrity_check'): string | undefined {
  try {
    const finding = look(path, (db) => db.prepare(`pragma ${check}(1)`).get()?.[check])
    return finding === 'ok' ? undefined : String(finding)
  } catch (error) {
    if (storageFault(error) !== 'damaged') throw explainSqliteFault(error, path)
    return (error as Error).message
  }
}

/** A single writer needs no row locks. */
export function toSqlite(sql: string): string {
  return sql
    .replaceAll(/\$(\d+)/g, '?$1')
    .replaceAll('strpos(', 'instr(')
    .replace(' for update skip locked', '')
}

/** Returns `undefined` if the statement itself is at fault. */
export function storageFault(error: unknown): string | undefined {
  const { errcode: code, message } = error as Error & { errcode?: number }
  // A table or column is missing, which is no fault of the lead.
  if (/^no such (?:table|column)/.test(message)) return 'refused'
  // The lower 8 bits of an extended code are its primary code.
  return code === undefined ? undefined : storageFaults[code & 0xff]
}

const storageFaults: Record<number, string> = {
  5: 'locked',
  6: 'locked',
  7: 'out-of-memory',
  8: 'read-only',
  10: 'input-output',
  11: 'damaged',
  13: 'full',
  14: 'cannot-open',
  26: 'damaged',
}

export function explainSqliteFault(error: unknown, path: string): unknown {
  const { syscall, code } = error as NodeJS.ErrnoException
  if (syscall !== undefined) {
    return new StoreRefused(
      `The database ${path} cannot be made or opened there (${code}). Choose another DATA_DIR or DATABASE_URL, or give this user the right to write there.`,
    )
  }
  const fault = storageFault(error) ?? ''
  return fault in sentences ? new StoreRefused(sentences[fault]!(path)) : error
}

const sentences: Record<string, (path: string) => string> = {
  damaged: damagedFile,
  refused: (path) =>
    `The database ${path} lacks a table or column of this program. Restore a backup in its place.`,
  'read-only': (path) =>
    `The database ${path} cannot be written. Give this user the right to write it and its folder.`,
  'cannot-open': (path) =>
    `The database ${path} cannot be opened by this user. Run chown on it, its logs and its folder, or use the user of the service.`,
  locked: (path) =>
    `The database ${path} is locked by another program. Stop that program, then start again.`,
  full: (path) => `The disk that holds ${path} is full. Make room, then start again.`,
}

export function notOurs(path: string): string {
  return `The file ${path} is empty, or not a database of this program. Move a backup into its place.`
}

export function damagedFile(path: string): string {
  return `The database ${path} is damaged. It was left as it is. Restore a backup in its place, or move it away to start with an empty one.`
}
