/** While PostgreSQL cannot be used or is slow, leads wait in this node's journal. */
import { setTimeout as sleep } from 'node:timers/promises'
import { errorFacts, type Log } from '../../log.ts'
import { version } from '../../config.ts'
import { dayMs } from '../../time.ts'
import { refuseHalfCopy } from './copy.ts'
import { beforeDeadline, StorageUnavailable, StoreRefused } from '../engine/engine.ts'
import { newestMigration } from '../engine/migrations.ts'
import { commitDeadlineMs, PostgresEngine } from './postgres-engine.ts'
import { explainReason, whyAway } from './faults.ts'
import { Journal } from './journal.ts'
import { identify, type Kept } from '../leads/keep.ts'
import { isThere } from '../files.ts'
import { timeOfId, type Lead, type NewLead } from '../leads/rows.ts'
import { joinSecret, secretPath } from '../secret.ts'
import { openStore, type Store, type StoreState } from '../store.ts'

type Parts = { url: string; dataDir: string; log: Pick<Log, 'info' | 'warn'> }

export async function openSharedStore(parts: Parts): Promise<Store> {
  const node = new SharedStore(parts)
  try {
    await node.start()
  } catch (error) {
    await node.direct.close()
    throw error
  }
  return {
    ...node.direct,
    keepLead: (lead) => node.keepLead(lead),
    findLead: (id) => node.findLead(id),
    mayWaitElsewhere: (id, at) => at - timeOfId(id) < longestWaitMs,
    probe: (at) => node.probe(at),
    state: (at) => node.state(at),
    close: () => node.close(),
  }
}

/** A journal is replayed within seconds of an outage, so a lead that is missing after a day is taken for lost. */
const longestWaitMs = dayMs

const pauseMs = { first: 50, most: 5_000 }

class SharedStore {
  /** The store on PostgreSQL, without the journal. */
  readonly direct: Store
  readonly #parts: Parts
  readonly #engine: PostgresEngine
  readonly #journal: Journal
  /** For each dedup key, the newest call of `#keepNext` that has not ended. */
  readonly #keeping = new Map<string, Promise<unknown>>()
  readonly #stopping = new AbortController()
  /** Why PostgreSQL could not be used when it was last tried; `undefined` if it could. */
  #away: string | undefined
  #isJoined = false
  #replaying: Promise<void> | undefined

  constructor(parts: Parts) {
    const { url, dataDir, log } = parts
    this.#parts = parts
    this.#journal = new Journal(dataDir, log.warn)
    this.#engine = new PostgresEngine(url)
    this.direct = openStore(this.#engine, dataDir)
  }

  async start(): Promise<void> {
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
    this.#replay()
  }

  /** Requests with the same key run in turn: one in the journal and one in PostgreSQL would keep the lead twice. */
  async keepLead(lead: NewLead): Promise<Kept> {
    const key = identify(lead).keys[0]?.name ?? lead.id
    const before = this.#keeping.get(key) ?? Promise.resolve()
    const keeping = before.catch(() => {}).then(() => this.#keepNext(lead))
    this.#keeping.set(key, keeping)
    try {
      return await keeping
    } finally {
      if (this.#keeping.get(key) === keeping) this.#keeping.delete(key)
    }
  }

  async #keepNext(lead: NewLead): Promise<Kept> {
    const earlier = this.#journal.find(lead)
    if (earlier !== undefined) return earlier
    if (this.#away === undefined) {
      try {
        return await beforeDeadline(commitDeadlineMs, this.direct.keepLead(lead))
      } catch (error) {
        this.#leave(error)
      }
    }
    const kept = await this.#journal.add(lead)
    this.#replay()
    return kept
  }

  /** Throws for a lead that is still in the journal: `undefined` would mean that it does not exist. */
  async findLead(id: string): Promise<Lead | undefined> {
    if (this.#journal.waiting.has(id)) throw new StorageUnavailable('journaled')
    return this.direct.findLead(id)
  }

  async probe(at: number): Promise<void> {
    if (this.#away === undefined) {
      try {
        return await this.direct.probe(at)
      } catch (error) {
        this.#leave(error)
      }
    }
    await this.#journal.probe()
  }

  async state(at: number): Promise<StoreState> {
    const database = this.#away === undefined ? await this.direct.state(at) : { away: this.#away }
    return { ...database, journal: this.#journal.state() }
  }

  async close(): Promise<void> {
    this.#stopping.abort()
    await this.#replaying
    await this.direct.close()
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
    this.#replay()
  }

  #isDone(): boolean {
    const { aborted } = this.#stopping.signal
    return aborted || (this.#away === undefined && this.#journal.waiting.size === 0)
  }

  #replay(): void {
    if (!this.#isDone()) this.#replaying ??= this.#replayAll()
  }

  async #replayAll(): Promise<void> {
    const startedAt = performance.now()
    let leads = 0
    for (let waitMs = pauseMs.first; !this.#isDone();) {
      try {
        await this.#join()
        await this.#journal.replay(async (lead) => {
          await this.#replayLead(lead)
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

  async #replayLead(lead: NewLead): Promise<void> {
    if (this.#stopping.signal.aborted) throw new StorageUnavailable('stopping')
    // An earlier replay, or a commit after its deadline, may have kept the lead already.
    if ((await this.direct.findLead(lead.id)) !== undefined) return
    const { kind } = await this.direct.keepLead(lead)
    // Another lead has the same key, but this one was acknowledged, too, so it is kept.
    if (kind !== 'kept') {
      await this.direct.keepLead({ ...lead, dedup: { by: 'none' } })
    }
  }
}
