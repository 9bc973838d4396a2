/** The SQLite engine of a command that only reads. It leaves the file and its folder as they are. */
import { StorageUnavailable, StoreRefused } from './engine.ts'
import type { Engine } from './engine.ts'
import { olderSchema } from './migrations.ts'
import { explainSqliteFault, notOurs } from './sqlite-faults.ts'
import { hasLog, openToLook, readSchema } from './sqlite-file.ts'
import { openReader } from './sqlite-reader.ts'

/** Works beside a running service. Refuses an older schema, in place of migrating it. */
export function openSqliteToRead(path: string): Engine {
  refuseOtherSchema(path)
  const reader = openReader(path, openToLook)
  let hadLog = hasLog(path)
  return {
    dialect: 'sqlite',
    soleWriter: false,
    run: () => Promise.reject(new StorageUnavailable('read-only')),
    async read(sql, values = []) {
      // A service has started meanwhile: from now on its log counts too.
      if (!hadLog && hasLog(path)) {
        hadLog = true
        reader.reopen()
      }
      return reader.read(sql, values)
    },
    forgetDeleted() {},
    rebuildIndex: () => Promise.resolve(),
    close: async () => reader.close(),
  }
}

function refuseOtherSchema(path: string): void {
  try {
    const schema = readSchema(path)
    if (schema === 'current') return
    throw new StoreRefused(schema === 'older' ? olderSchema : notOurs(path))
  } catch (error) {
    throw explainSqliteFault(error, path)
  }
}
