/** What an error of SQLite, or of the file system under it, means. */
import { StoreRefused } from './engine.ts'

/** By the primary result code of SQLite; `undefined` for a fault of the statement itself. */
export function storageFault(error: unknown): string | undefined {
  const code = (error as { errcode?: number }).errcode
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

/** For a start: the same error as a sentence that says what to do, where there is one. */
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
  damaged,
  'read-only': unwritable,
  'cannot-open': (path) =>
    `The database ${path} cannot be opened by this user. Run chown on it, its logs and its folder, or use the user of the service.`,
  locked: (path) =>
    `The database ${path} is locked by another program. Stop that program, then start again.`,
  full: (path) => `The disk that holds ${path} is full. Make room, then start again.`,
}

function unwritable(path: string): string {
  return `The database ${path} cannot be written. Give this user the right to write it and its folder.`
}

export function notOurs(path: string): string {
  return `The file ${path} is empty, or not a database of this program. Move a backup into its place.`
}

export function damaged(path: string): string {
  return `The database ${path} is damaged. It was left as it is. Restore a backup in its place, or move it away to start with an empty one.`
}
