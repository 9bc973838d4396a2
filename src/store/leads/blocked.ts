/** The emails and phone numbers that the owner marked as spam, as keyed hashes. */
import { fromRow, toParameters, type Engine, type Statement } from '../engine/engine.ts'
import { ifUnchanged } from './events.ts'
import type { Lead } from './rows.ts'

export type Blocked = { leadId: string; at: number }

/** Blocks, or no longer blocks, the email and the phone number of a lead. */
export function blockStatements(lead: Lead, how: 'add' | 'remove', at: number): Statement[] {
  const [isUnchanged, which] = ifUnchanged(lead)
  const keys = [lead.emailKey, lead.phoneKey].filter((key) => key !== '')
  if (how === 'remove') {
    const sql = `delete from blocked where ${isUnchanged} and key = $3`
    return keys.map((key) => [sql, [...which, key]])
  }
  const sql = `insert into blocked (key, lead_id, at) select $3, $1, cast($4 as bigint)
    where ${isUnchanged} on conflict (key) do nothing`
  return keys.map((key) => [sql, [...which, key, at]])
}

export class BlockedSenders {
  readonly #engine: Engine

  constructor(engine: Engine) {
    this.#engine = engine
  }

  async has(keys: readonly string[]): Promise<boolean> {
    if (keys.length === 0) return false
    const sql = `select 1 as one from blocked where key in (${toParameters(keys.length)}) limit 1`
    return (await this.#engine.read(sql, keys)).length > 0
  }

  /** The newest first. */
  async list(limit: number): Promise<Blocked[]> {
    const sql = `select lead_id, min(at) as at from blocked group by lead_id
      order by min(at) desc, lead_id limit $1`
    return (await this.#engine.read(sql, [limit])).map(fromRow<Blocked>)
  }

  /** Allows the email and the phone number that were blocked with this lead. */
  async allow(leadId: string): Promise<void> {
    await this.#engine.run([['delete from blocked where lead_id = $1', [leadId]]])
  }
}
