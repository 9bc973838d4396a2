/** One node's way to PostgreSQL: whether it can be used now, and the journal that takes leads while it cannot. */
import { setTimeout as sleep } from 'node:timers/promises'
import { version } from '../../config.ts'
import { errorFacts, type Log } from '../../log.ts'
import { StorageUnavailable, StoreRefused } from '../engine/engine.ts'
import { newestMigration } from '../engine/migrations.ts'
import { isThere } from '../files.ts'
import type { NewLead } from '../leads/rows.ts'
import { joinSecret, secretPath } from '../secret.ts'
import { refuseHalfCopy } from './copy.ts'
import { explainReason, whyAway } from './faults.ts'
import { Journal } from './journal.ts'
import type { PostgresEngine } from './postgres-engine.ts'

export type NodeParts = { url: string; dataDir: string; log: Pick<Log, 'info' | 'warn'> }

type KeepAgain = (lead: NewLead) => Promise<void>

const pauseMs = { first: 50, most: 5_000 }

export class PostgresNode {
  readonly journal: Journal
  readonly #parts: NodeParts
  readonly #engine: PostgresEngine
  readonly #stopping = new AbortController()
  /** Why PostgreSQL could not be used when it was last tried; `undefined` if it could. */
  #away: string | undefined
  #isJoined = false
  #keepAgain: KeepAgain | undefined
  #replaying: Promise<void> | undefined

  constructor(parts: NodeParts, engine: PostgresEngine) {
    this.#parts = parts
    this.#engine = engine
    this.journal = new Journal(parts.dataDir, parts.log.warn)
  }

  /** `keepAgain` commits a lead of the journal to PostgreSQL, where it may be already. */
  async start(keepAgain: KeepAgain): Promise<void> {
    this.#keepAgain = keepAgain
    const { url, dataDir } = this.#parts
    try {
      await this.#join()
    } catch (error) {
      if (!(error instanceof StorageUnavailable)) throw error
      if (!isThere(secretPath(dataDir))) {
        // Without the shared secret, receipts that this node gives would never open.
        throw new StoreRefused(
          `${whyAway(error, url)} This node takes its secret from there first.`,
        )
      }
      this.#leave(error)
    }
    this.replay()
  }

  get away(): string | undefined {
    return this.#away
  }

  /** Uses PostgreSQL or, if that fails or failed when it was last tried, the journal. */
  async orJournal<T>(direct: () => Promise<T>, journaled: () => Promise<T>): Promise<T> {
    if (this.#away === undefined) {
      try {
        return await direct()
      } catch (error) {
        this.#leave(error)
      }
    }
    return journaled()
  }

  /** Replays the journal until it is empty and PostgreSQL can be used. */
  replay(): void {
    if (!this.#isDone()) this.#replaying ??= this.#replayAll()
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    await this.#replaying
  }

  /** Checks the schema before each replay, because a newer program may have migrated it. */
  async #join(): Promise<void> {
    const { dataDir, log } = this.#parts
    const schema = newestMigration()
    if (await this.#engine.prepare())
      log.info('database.migrated', { database: 'postgres', schema })
    if (this.#isJoined) return
    await refuseHalfCopy(this.#engine)
    await joinSecret(this.#engine, dataDir)
    log.info('database.opened', { version, schema })
    this.#isJoined = true
  }

  #leave(error: unknown): void {
    const reason = error instanceof StorageUnavailable ? error.reason : 'refused'
    if (reason !== this.#away) {
      const { log, url } = this.#parts
      const refusal = error instanceof StoreRefused ? error.message : undefined
      const note = reason === 'away' ? whyAway(error, url) : (refusal ?? explainReason(reason, url))
      log.warn('database.away', { ...(note === undefined && errorFacts(error)), reason, note })
    }
    this.#away = reason
    this.replay()
  }

  #isDone(): boolean {
    const { aborted } = this.#stopping.signal
    return aborted || (this.#away === undefined && this.journal.waiting.size === 0)
  }

  async #replayAll(): Promise<void> {
    const startedAt = performance.now()
    let leads = 0
    for (let waitMs = pauseMs.first; !this.#isDone();) {
      try {
        await this.#join()
        await this.journal.replay(async (lead) => {
          if (this.#stopping.signal.aborted) throw new StorageUnavailable('stopping')
          await this.#keepAgain!(lead)
          this.#away = undefined
          leads += 1
        })
        this.#away = undefined
      } catch (error) {
        if (this.#stopping.signal.aborted) break
        this.#leave(error)
        // The pause is random, so that not all nodes reconnect at once.
        const pause = { ref: false, signal: this.#stopping.signal }
        await sleep(waitMs * (0.5 + Math.random()), undefined, pause).catch(() => {})
        waitMs = Math.min(waitMs * 2, pauseMs.most)
      }
    }
    // From here on, the next lead that enters the journal starts a new replay.
    this.#replaying = undefined
    const ms = Math.round(performance.now() - startedAt)
    if (leads > 0) this.#parts.log.warn('journal.replayed', { leads, ms })
  }
}
