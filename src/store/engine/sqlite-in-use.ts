/** Whether another process, such as the service, has a database file open. */
import { DatabaseSync } from 'node:sqlite'

/** If not, its log is written back into the file on the way. */
export function isInUse(path: string): boolean {
  const database = new DatabaseSync(path)
  try {
    // Not given while anybody else has the file open, even if nobody reads or writes.
    database.exec('pragma locking_mode = exclusive; select count(*) from sqlite_schema')
    return false
  } catch (error) {
    if ((error as { errcode?: number }).errcode === busy) return true
    throw error
  } finally {
    database.close()
  }
}

/** SQLITE_BUSY. */
const busy = 5
