/** The store in its named parts. Each part is a class in its own file, and only this folder knows SQL. */
import type { Recipients } from '../contract/notices.ts'
import type { ReportFailure } from '../log.ts'
import { AccessStore } from './access/store.ts'
import { forgetFuture } from './clock.ts'
import { Deliveries } from './deliveries/deliveries.ts'
import { beforeDeadline, StorageUnavailable, type Engine } from './engine/engine.ts'
import type { BlockedSenders } from './leads/blocked.ts'
import { SearchFill } from './leads/fill.ts'
import { Leads } from './leads/leads.ts'
import { LeadSearch } from './leads/search.ts'
import { LeadViews } from './leads/views.ts'
import { Marks } from './marks.ts'
import type { Photos } from './photos/photos.ts'
import { type JournalState } from './postgres/journal.ts'

export type StoreState = {
  /** Why nothing can be committed to the database now. */
  away?: string | undefined
  journal?: JournalState
}

export class Store {
  readonly recipients: Recipients
  readonly leads: Leads
  readonly views: LeadViews
  readonly search: LeadSearch
  readonly deliveries: Deliveries
  readonly access: AccessStore
  readonly marks: Marks
  readonly blocked: BlockedSenders
  readonly photos: Photos
  readonly #engine: Engine
  #afterClose: () => void = () => {}

  /**
   * `recipients`: the channels that get each notice of a change. `dataDir` has the list of erased leads
   * and, with SQLite, the photos.
   */
  constructor(
    engine: Engine,
    recipients: Recipients,
    dataDir?: string,
    leads = new Leads(engine, recipients, dataDir),
  ) {
    this.#engine = engine
    this.recipients = recipients
    this.leads = leads
    const fill = new SearchFill(engine)
    this.views = new LeadViews(engine, fill)
    this.search = new LeadSearch(engine, fill)
    this.deliveries = new Deliveries(engine)
    this.access = new AccessStore(engine)
    this.marks = new Marks(engine)
    this.blocked = leads.blocked
    this.photos = leads.photos
  }

  /** Says why the database cannot be used, where `probe` throws. */
  async state(at: number): Promise<StoreState> {
    try {
      await this.#commitProbe(at)
      return {}
    } catch (error) {
      if (error instanceof StorageUnavailable) return { away: error.reason }
      throw error
    }
  }

  /** Throws if the largest lead could not be committed now. */
  probe(at: number): Promise<void> {
    return this.#commitProbe(at)
  }

  /** Forgets what a clock that was ahead has written. */
  forgetFuture(now: number): Promise<void> {
    return forgetFuture(this.#engine, now)
  }

  /** `callback` is called when the database is closed, for example to release its lock. */
  afterClose(callback: () => void): void {
    this.#afterClose = callback
  }

  async close(): Promise<void> {
    try {
      await this.#engine.close()
    } finally {
      this.#afterClose()
    }
  }

  async #commitProbe(at: number): Promise<void> {
    await this.#engine.run([
      [
        `insert into probe (id, at, room) values (1, $1, $2)
         on conflict (id) do update set at = $1, room = $2`,
        // If this fits, the largest lead fits. It differs each time, so that it is really written.
        [at, String(at).repeat(5_000)],
      ],
      // Fails if a table that a new lead needs is missing.
      ['select 1 from lead, dedup, event, delivery where false', []],
    ])
  }
}

const probeTimeoutMs = 2_000

export type Prove = () => Promise<boolean>

/** The returned function tests by a commit whether the store can write. Calls during a test share its result. */
export function createProve(parts: {
  store: Pick<Store, 'probe'>
  reportFailure: ReportFailure
  now: () => number
}): Prove {
  const { store, reportFailure, now } = parts
  let proving: Promise<boolean> | undefined
  return () => (proving ??= prove().finally(() => (proving = undefined)))

  async function prove(): Promise<boolean> {
    try {
      await beforeDeadline(probeTimeoutMs, store.probe(now()))
      return true
    } catch (error) {
      reportFailure('health.probe-failed', error)
      return false
    }
  }
}
