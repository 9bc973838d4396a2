/** Moves one lead from a spool into the database, or finds out why that refuses it. */
import type { Report } from '../../log.ts'
import { StorageUnavailable } from '../engine/engine.ts'
import type { Engine, Statement } from '../engine/engine.ts'
import { keepLead } from '../keep.ts'
import type { Store } from '../store.ts'
import { toNewLead } from './entry.ts'
import type { SpoolEntry } from './entry.ts'

export type MovedEntry = { entry: SpoolEntry; rejectedFor?: string }

export type MoveEntryParts = {
  engine: Engine
  direct: Pick<Store, 'findLead'>
  report: Report
}

/** Rejects when the database is away. */
export type MoveEntry = (entry: SpoolEntry) => Promise<MovedEntry>

export function createMoveEntry({ engine, direct, report }: MoveEntryParts): MoveEntry {
  return async (entry) => {
    try {
      await moveToDatabase(entry)
    } catch (error) {
      if (error instanceof StorageUnavailable) throw error
      const { id } = entry.lead
      // An earlier try whose answer was lost may have stored it.
      const found = await direct.findLead(id)
      if (found === undefined) {
        const rejectedFor = reasonOf(error)
        report('spool.rejected', { lead: id, reason: rejectedFor })
        return { entry, rejectedFor }
      }
    }
    return { entry }
  }

  async function moveToDatabase(entry: SpoolEntry): Promise<void> {
    const kept = await keepLead(engine, toNewLead(entry, 'content'))
    // Both were acknowledged, so both are kept. The key stays with the other.
    if (kept.kind !== 'kept') await keepLead(engine, toNewLead(entry, 'none'))
  }
}

/** For the spool: removes what was moved, and notes why the rest was not. */
export function settleEntry({ entry, rejectedFor }: MovedEntry, at: number): Statement[] {
  const { id } = entry.lead
  if (rejectedFor === undefined) return removeEntry(id)
  return [
    [
      'insert into rejected (lead_id, at, reason) values ($1, $2, $3) on conflict (lead_id) do nothing',
      [id, at, rejectedFor],
    ],
  ]
}

export function removeEntry(id: string): Statement[] {
  return [
    ['delete from lead where id = $1', [id]],
    ...['event', 'dedup', 'delivery', 'rejected'].map((table): Statement => [
      `delete from ${table} where lead_id = $1`,
      [id],
    ]),
  ]
}

/** Without quoted text: it may be a person's words. */
function reasonOf(error: unknown): string {
  const { code, message } = error as { code?: string; message: string }
  return `${code ?? 'failed'}: ${message.replaceAll(/"[^"]*"/g, '"…"')}`
}
