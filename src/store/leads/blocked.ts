/** The emails and phone numbers that the owner marked as spam, as keyed hashes. */
import {
  beforeDeadline,
  fromRow,
  insertRows,
  toParameters,
  type Engine,
  type Statement,
} from '../engine/engine.ts'
import { personKeysIn } from './persons.ts'
import type { Lead } from './rows.ts'

export type Blocked = { leadId: string; at: number }

/** One blocked email or phone number. */
export type Block = Blocked & { key: string }

/**
 * `add`: the email and the phone number of the lead are blocked. `take back`: they are no longer blocked
 * by this lead. `allow`: they are no longer blocked at all.
 */
export type Blocking = 'add' | 'take back' | 'allow'

export function blockStatements(lead: Lead, how: Blocking, at: number): Statement[] {
  const { id } = lead
  const keys = personKeysIn(lead)
  if (how === 'add') {
    return keys.map((key) => insertRows('blocked', { key, leadId: id, at }))
  }
  // The details may have been corrected since the lead was marked, so its rows are found by its id, too.
  const own: Statement = ['delete from blocked where lead_id = $1', [id]]
  if (how === 'take back') return [own]
  return [own, [`delete from blocked where key in (${toParameters(keys.length)})`, keys]]
}

/** Another node's change is seen after this time at the latest. */
const readEveryMs = 10_000
/** People wait for their answer meanwhile. */
const blockedTimeoutMs = 500

/** The keys are few and asked for with every lead, so they are kept in memory. */
export class BlockedSenders {
  readonly #engine: Engine
  #keys: ReadonlySet<string> = new Set()
  #readAt = Number.NEGATIVE_INFINITY
  /** Several leads may ask while the keys are being read. */
  #reading = Promise.resolve()

  constructor(engine: Engine) {
    this.#engine = engine
  }

  async has(keys: readonly string[]): Promise<boolean> {
    if (performance.now() - this.#readAt > readEveryMs) this.#reading = this.#read()
    await this.#reading
    return keys.some((key) => this.#keys.has(key))
  }

  /** Called after this process has changed what is blocked. */
  readAgain(): void {
    this.#readAt = Number.NEGATIVE_INFINITY
  }

  async #read(): Promise<void> {
    this.#readAt = performance.now()
    try {
      const rows = await beforeDeadline(
        blockedTimeoutMs,
        this.#engine.read('select key from blocked'),
      )
      this.#keys = new Set(rows.map(({ key }) => String(key)))
    } catch {
      // The lead matters more than this list: the known keys stay until the next time.
    }
  }

  /** The newest first. A person with several leads is listed by the first one that was marked. */
  async list(limit: number): Promise<Blocked[]> {
    const sql = `select lead_id, min(at) as at from blocked
      where not exists (select 1 from blocked as earlier where earlier.key = blocked.key
        and (earlier.at, earlier.lead_id) < (blocked.at, blocked.lead_id))
      group by lead_id order by min(at) desc, lead_id limit $1`
    return (await this.#engine.read(sql, [limit])).map(fromRow<Blocked>)
  }

  /** Allows the email and the phone number that were blocked with this lead, whoever else blocked them, and returns what `blockAgain` takes. */
  async allow(leadId: string): Promise<Block[]> {
    const own = 'key in (select key from blocked where lead_id = $1)'
    const sql = `select key, lead_id, at from blocked where ${own} order by at, key, lead_id`
    const blocks = (await this.#engine.read(sql, [leadId])).map(fromRow<Block>)
    await this.#engine.run([[`delete from blocked where ${own}`, [leadId]]])
    this.readAgain()
    return blocks
  }

  async blockAgain(blocks: readonly Block[]): Promise<void> {
    await this.#engine.run(blocks.map((block) => insertRows('blocked', block)))
    this.readAgain()
  }
}
