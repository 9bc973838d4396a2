/** The store that the settings name. */
import { join } from 'node:path'
import type { Settings } from '../config.ts'
import { openSqlite } from './sqlite.ts'
import { openStore } from './store.ts'
import type { Store } from './store.ts'

type Place = Pick<Settings, 'DATABASE_URL' | 'DATA_DIR'>

/** `writer`: a service starts it at once, beside its own start; a command only if it writes. */
export function openLeads(settings: Place, writer: 'at-once' | 'when-needed'): Store {
  return openStore(openSqlite({ path: databasePath(settings), nowMs: Date.now(), writer }))
}

export function databasePath(settings: Place): string {
  return settings.DATABASE_URL ?? join(settings.DATA_DIR, 'leads.sqlite')
}
