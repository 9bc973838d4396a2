/** Counts what waits in a spool: leads of this node that are not yet in the database. */
import type { Engine } from '../engine/engine.ts'

/** The file in DATA_DIR. */
export const spoolName = 'spool.sqlite'

export type SpoolState = {
  depth: number
  /** When the oldest lead came in. */
  oldestAt: number | undefined
  /** Leads that the database refuses. */
  rejected: RejectedLead[]
}

export type RejectedLead = { leadId: string; at: number; reason: string }

export async function readSpool(spoolEngine: Pick<Engine, 'read'>): Promise<SpoolState> {
  const [total] = await spoolEngine.read(
    'select count(*) as depth, min(received_at) as oldest from lead',
  )
  const rows = await spoolEngine.read('select lead_id, at, reason from rejected order by lead_id')
  const { depth, oldest } = total as { depth: number; oldest: number | null }
  return {
    depth,
    oldestAt: oldest ?? undefined,
    rejected: rows.map((row) => ({
      leadId: String(row['lead_id']),
      at: Number(row['at']),
      reason: String(row['reason']),
    })),
  }
}
