/** Leads in the spool of this node that the database refused, for the operator's commands. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Settings } from '../../config.ts'
import { isPostgres } from '../../setting-values.ts'
import { openPostgres } from '../engine/postgres.ts'
import { emptyLog } from '../engine/sqlite-file.ts'
import { openSqlite } from '../engine/sqlite.ts'
import type { Lead } from '../rows.ts'
import { openStore } from '../store.ts'
import type { Store } from '../store.ts'
import { readEntries } from './entry.ts'
import type { SpoolEntry } from './entry.ts'
import { createMoveEntry, removeEntry, settleEntry } from './move-entry.ts'
import type { MovedEntry } from './move-entry.ts'
import { readSpool, spoolName } from './status.ts'

export type Rejected = { lead: Lead; at: number; reason: string }

export type RejectedLeads = {
  /** To find one by its reference. */
  spool: Pick<Store, 'findLead' | 'findByReference'>
  list(): Promise<Rejected[]>
  /** Tries these again, each by itself. `rejectedFor`: still refused. */
  retry(leads: readonly Lead[], at: number): Promise<MovedEntry[]>
  /** Removes it from the spool, for good. False: its words may still be in the log of the spool. */
  erase(lead: Lead): Promise<boolean>
  close(): Promise<void>
}

/** `undefined`: this node has no spool. */
export function openRejected(
  settings: Pick<Settings, 'DATABASE_URL' | 'DATA_DIR'>,
): RejectedLeads | undefined {
  const { DATABASE_URL: url = '', DATA_DIR } = settings
  const path = join(DATA_DIR, spoolName)
  if (!isPostgres(url) || !existsSync(path)) return undefined
  const spoolEngine = openSqlite({ path, nowMs: Date.now() })
  const readRejected = () => readEntries(spoolEngine, mostEntries, 'rejected')

  return {
    spool: openStore(spoolEngine),
    async list() {
      const { rejected } = await readSpool(spoolEngine)
      const entries = new Map((await readRejected()).map((entry) => [entry.lead.id, entry.lead]))
      return rejected.flatMap(({ leadId, at, reason }) => {
        const lead = entries.get(leadId)
        return lead === undefined ? [] : [{ lead, at, reason }]
      })
    },
    async retry(leads, at) {
      const ids = new Set(leads.map(({ id }) => id))
      const entries = (await readRejected()).filter(({ lead }) => ids.has(lead.id))
      return moveEach(entries, at)
    },
    async erase({ id }) {
      await spoolEngine.run(removeEntry(id))
      return emptyLog(path)
    },
    close: () => spoolEngine.close(),
  }

  async function moveEach(entries: readonly SpoolEntry[], at: number): Promise<MovedEntry[]> {
    const engine = openPostgres({ url, nowMs: at, forCommand: true })
    try {
      await engine.tried
      const moveEntry = createMoveEntry({ engine, direct: openStore(engine), report: () => {} })
      const moved: MovedEntry[] = []
      for (const entry of entries) {
        const outcome = await moveEntry(entry)
        // Only after the commit there. The reason may be another one now.
        const forget = 'delete from rejected where lead_id = $1'
        await spoolEngine.run([[forget, [entry.lead.id]], ...settleEntry(outcome, at)])
        moved.push(outcome)
      }
      spoolEngine.forgetDeleted()
      return moved
    } finally {
      await engine.close()
    }
  }
}

/** More than anybody would look through. */
const mostEntries = 10_000
