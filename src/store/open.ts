/** Opens the store that the settings name. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Settings } from '../config.ts'
import type { Report } from '../log.ts'
import { isPostgres } from '../setting-values.ts'
import { refuseHalfCopy } from './copy.ts'
import type { Engine } from './engine/engine.ts'
import { readSpool, spoolName } from './spool/status.ts'
import type { SpoolState } from './spool/status.ts'
import { openSqlite } from './engine/sqlite.ts'
import { openStore } from './store.ts'
import type { Store } from './store.ts'

type Place = Pick<Settings, 'DATABASE_URL' | 'DATA_DIR'>

/** For the service: starts the writer at once; with PostgreSQL, opens the spool too. */
export async function openToServe(settings: Place, report: Report): Promise<Store> {
  const database = databaseOf(settings)
  if (!isPostgres(database)) {
    const engine = openSqlite({ path: database, nowMs: Date.now(), writer: 'at-once', report })
    await refuseHalfCopy(engine)
    return openStore(engine)
  }
  // Loaded only when needed: it doubles the start time.
  const { openSharedStore } = await import('./spool/open-shared.ts')
  return openSharedStore({ url: database, dataDir: settings.DATA_DIR, now: Date.now, report })
}

/** For a command beside the service: starts a writer only if it writes. */
export async function openLeads(settings: Place): Promise<Store> {
  return openStore(await openEngine(databaseOf(settings)))
}

/** `database` is a path or the URL of a PostgreSQL. */
export async function openEngine(database: string): Promise<Engine> {
  if (!isPostgres(database)) return openSqlite({ path: database, nowMs: Date.now() })
  const { openPostgres } = await import('./engine/postgres.ts')
  return openPostgres({ url: database, nowMs: Date.now(), forCommand: true })
}

/** What waits in this node's spool. `undefined`: there is no spool. */
export async function readSpoolOf(settings: Place): Promise<SpoolState | undefined> {
  const path = join(settings.DATA_DIR, spoolName)
  if (!existsSync(path)) return undefined
  const engine = openSqlite({ path, nowMs: Date.now() })
  try {
    return await readSpool(engine)
  } finally {
    await engine.close()
  }
}

export function databaseOf(settings: Place): string {
  return settings.DATABASE_URL ?? join(settings.DATA_DIR, 'leads.sqlite')
}
