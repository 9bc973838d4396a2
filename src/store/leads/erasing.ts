/** Erasing: what is deleted, and the file of erased leads, by which a restore erases those that a backup still holds. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fromRow, type Dialect, type Engine, type Statement } from '../engine/engine.ts'
import { appendSynced, makeFolder } from '../files.ts'
import { type Lead } from './rows.ts'

export type Erased = { leadId: string; at: number }

export class ErasedFile {
  readonly #engine: Engine
  readonly #dataDir: string | undefined

  constructor(engine: Engine, dataDir: string | undefined) {
    this.#engine = engine
    this.#dataDir = dataDir
  }

  /** Adds erased leads that the file lacks, for example because another node erased them. */
  async addMissing(): Promise<void> {
    if (this.#dataDir === undefined) return
    const noted = new Set((await readErased(this.#dataDir)).map(({ leadId }) => leadId))
    const sql = `select id as lead_id, erased_at as at from lead where state = 'erased'`
    const erased = (await this.#engine.read(sql)).map(fromRow<Erased>)
    await this.add(erased.filter(({ leadId }) => !noted.has(leadId)))
  }

  async add(erased: readonly Erased[]): Promise<void> {
    if (this.#dataDir === undefined || erased.length === 0) return
    makeFolder(this.#dataDir)
    const lines = erased.map(({ leadId, at }) => `${leadId} ${at}\n`)
    await appendSynced(erasedPath(this.#dataDir), lines.join(''))
  }
}

/** Deletes everything about the lead but its row, its events, and the hash of a random key. */
export function eraseStatements({ id }: Lead): Statement[] {
  const owned = ownedTables.map((table): Statement => [
    `delete from ${table} where lead_id = $1`,
    [id],
  ])
  // Comes first, because tries are found through their deliveries, which are deleted next.
  const tries: Statement = [
    `delete from delivery_try
     where delivery_id in (select delivery.id from delivery where delivery.lead_id = $1)`,
    [id],
  ]
  // The owner has yet to hear that the sender took the request back; that notice has no details.
  const deliveries: Statement = [
    `delete from delivery where lead_id = $1 and not (kind = 'lead.withdrawn' and outcome = '')`,
    [id],
  ]
  const keys: Statement = ['delete from dedup where lead_id = $1 and outlasts = 0', [id]]
  return [tries, deliveries, keys, ...owned]
}

/** A node of an older version, which is upgraded after this one, leaves the rows of tables that are new. */
export function leftStatements(since: number): Statement[] {
  const erased = `select id from lead where state = 'erased' and erased_at > $1`
  return ownedTables.map((table) => [`delete from ${table} where lead_id in (${erased})`, [since]])
}

const ownedTables = ['detail_before', 'note', 'photo', 'search_doc', 'visit_before', 'visit_email']

/**
 * Empties every text that need not stay, because the table may have columns of fields that are no
 * longer in the contract. They are read each time, because a newer node may have added one. The
 * fingerprint goes, too, because it could confirm a guess of the content.
 */
export async function toErasedColumns(engine: Engine): Promise<Record<string, string>> {
  const columns = (await engine.read(textColumns[engine.dialect])).map((row) => String(row['name']))
  const emptied = columns.filter((column) => !keptColumns.includes(column))
  return Object.fromEntries(emptied.map((column) => [column, '']))
}

const textColumns: Record<Dialect, string> = {
  sqlite: `select name from pragma_table_info('lead') where lower(type) = 'text'`,
  postgres: `select attname as name from pg_attribute
    where attrelid = to_regclass('lead') and attnum > 0 and not attisdropped
      and atttypid = to_regtype('text')`,
}

const keptColumns = ['id', 'reference', 'door', 'reasons', 'state']

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
