/** Erased leads are listed in a file, so that a restore can erase those that the backup still holds. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { openStates } from '../../contract/states.ts'
import { insertLeadNotice } from '../deliveries/rows.ts'
import { fromRow, type Dialect, type Engine, type Statement } from '../engine/engine.ts'
import { changeLead, ifUnchanged, type Change, type Moved } from './events.ts'
import { appendSynced, makeFolder } from '../files.ts'
import { type Move } from './changes.ts'
import { type Lead } from './rows.ts'

export type Erasure = Pick<Move, 'by' | 'at' | 'tell'>
export type Erased = { leadId: string; at: number }

export function createErasing(engine: Engine, onErased: () => void, dataDir: string | undefined) {
  return {
    /** The lead's row stays, emptied, with its events. */
    async eraseLead(lead: Lead, erasure: Erasure): Promise<Moved> {
      const change = toErased(lead, erasure, await readTextColumns(engine))
      const moved = await changeLead(engine, lead, change)
      engine.forgetDeleted()
      if (moved.kind === 'moved') {
        onErased()
        await append([{ leadId: lead.id, at: erasure.at }])
      }
      return moved
    },

    /** Adds erased leads that the file lacks, for example because another node erased them. */
    async noteErased(): Promise<void> {
      if (dataDir === undefined) return
      const noted = new Set((await readErased(dataDir)).map(({ leadId }) => leadId))
      const sql = `select id as lead_id, erased_at as at from lead where state = 'erased'`
      const erased = (await engine.read(sql)).map(fromRow<Erased>)
      await append(erased.filter(({ leadId }) => !noted.has(leadId)))
    },
  }

  async function append(erased: readonly Erased[]): Promise<void> {
    if (dataDir === undefined || erased.length === 0) return
    makeFolder(dataDir)
    const lines = erased.map(({ leadId, at }) => `${leadId} ${at}\n`)
    await appendSynced(erasedPath(dataDir), lines.join(''))
  }
}

function toErased(lead: Lead, { by, at, tell }: Erasure, columns: readonly string[]): Change {
  const kind = 'lead.withdrawn'
  const channels = openStates.includes(lead.state) ? (tell?.[kind] ?? []) : []
  const data = JSON.stringify({ from: lead.state, to: 'erased', by })
  const [isUnchanged, which] = ifUnchanged(lead)
  return {
    event: { at, kind: 'lead.erased', data },
    set: { ...toEmptied(columns), ...noDate, state: 'erased', state_changed_at: at, erased_at: at },
    also: [
      // Comes first, because tries are found through their deliveries, which are deleted next.
      [
        `delete from delivery_try where ${isUnchanged}
         and delivery_id in (select delivery.id from delivery where delivery.lead_id = $1)`,
        which,
      ],
      ...ownedTables.map((table): Statement => [
        `delete from ${table} where ${isUnchanged} and lead_id = $1`,
        which,
      ]),
      ...channels.map((channel) => insertLeadNotice(lead, { kind, channel, dueAt: at })),
    ],
  }
}

const ownedTables = ['dedup', 'delivery', 'note', 'search_doc', 'visit_before']

/** Read each time, because a newer node may have added a column since this one started. */
async function readTextColumns(engine: Engine): Promise<string[]> {
  const rows = await engine.read(textColumns[engine.dialect])
  return rows.map((row) => String(row['name']))
}

const textColumns: Record<Dialect, string> = {
  sqlite: `select name from pragma_table_info('lead') where lower(type) = 'text'`,
  postgres: `select attname as name from pg_attribute
    where attrelid = to_regclass('lead') and attnum > 0 and not attisdropped
      and atttypid = to_regtype('text')`,
}

const keptColumns = ['id', 'reference', 'door', 'reasons', 'state']

/**
 * Empties every other text, because the table may have columns of fields that are no longer in the
 * contract. The fingerprint goes, too, because it could confirm a guess of the content.
 */
function toEmptied(columns: readonly string[]): Record<string, string> {
  const emptied = columns.filter((column) => !keptColumns.includes(column))
  return Object.fromEntries(emptied.map((column) => [column, '']))
}

const noDate = { next_at: null, next_for: null, visit_place: '', visit_shown: null, taken_by: null }

export function erasedPath(dataDir: string): string {
  return join(dataDir, 'erased')
}

/** Ignores a last line that a crash cut off. */
export async function readErased(dataDir: string): Promise<Erased[]> {
  const text = await readFile(erasedPath(dataDir), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return ''
    throw error
  })
  return Array.from(text.matchAll(/^([0-9a-f-]{36}) (\d+)\n/gm), ([, leadId, at]) => ({
    leadId: leadId!,
    at: Number(at),
  }))
}
