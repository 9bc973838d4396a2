/** The store that several nodes share. While PostgreSQL cannot be used or is slow, leads wait in this node's journal. */
import type { Recipients } from '../../contract/notices.ts'
import { dayMs } from '../../time.ts'
import { beforeDeadline, StorageUnavailable } from '../engine/engine.ts'
import { identify, type Kept } from '../leads/keep.ts'
import { Leads } from '../leads/leads.ts'
import { timeOfId, type Lead, type NewLead } from '../leads/rows.ts'
import { Store, type StoreState } from '../store.ts'
import { PostgresNode, type NodeParts } from './node.ts'
import { commitDeadlineMs, PostgresEngine } from './postgres-engine.ts'

export async function openSharedStore(
  parts: NodeParts & { recipients: Recipients },
): Promise<Store> {
  const { recipients } = parts
  const engine = new PostgresEngine(parts.url)
  const node = new PostgresNode(parts, engine)
  const leads = new SharedLeads(engine, recipients, parts.dataDir, node)
  try {
    await node.start((lead) => leads.keepAgain(lead))
  } catch (error) {
    await engine.close()
    throw error
  }
  return new SharedStore(engine, recipients, leads, node)
}

class SharedStore extends Store {
  readonly #node: PostgresNode

  constructor(
    engine: PostgresEngine,
    recipients: Recipients,
    leads: SharedLeads,
    node: PostgresNode,
  ) {
    super(engine, recipients, undefined, leads)
    this.#node = node
  }

  override probe(at: number): Promise<void> {
    const { journal } = this.#node
    return this.#node.orJournal(
      () => super.probe(at),
      () => journal.probe(),
    )
  }

  override async state(at: number): Promise<StoreState> {
    const { away, journal } = this.#node
    const database = away === undefined ? await super.state(at) : { away }
    return { ...database, journal: journal.state() }
  }

  override async close(): Promise<void> {
    await this.#node.stop()
    await super.close()
  }
}

/** A journal is replayed within seconds of an outage, so a lead that is missing after a day is taken for lost. */
const longestWaitMs = dayMs

class SharedLeads extends Leads {
  readonly #node: PostgresNode
  /** For each dedup key, the newest call of `#keepNext` that has not ended. */
  readonly #keeping = new Map<string, Promise<unknown>>()

  constructor(engine: PostgresEngine, recipients: Recipients, dataDir: string, node: PostgresNode) {
    super(engine, recipients, dataDir)
    this.#node = node
  }

  /** Requests with the same key run in turn: one in the journal and one in PostgreSQL would keep the lead twice. */
  override async keep(lead: NewLead): Promise<Kept> {
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
    const { journal } = this.#node
    const earlier = journal.find(lead)
    if (earlier !== undefined) return earlier
    return this.#node.orJournal(
      () => beforeDeadline(commitDeadlineMs, super.keep(lead)),
      async () => {
        const kept = await journal.add(lead)
        this.#node.replay()
        return kept
      },
    )
  }

  /** Commits a lead of the journal. */
  async keepAgain(lead: NewLead): Promise<void> {
    // An earlier replay, or a commit after its deadline, may have kept the lead already.
    if ((await super.find(lead.id)) !== undefined) return
    const late = { ...lead, keptAt: Math.max(Date.now(), lead.receivedAt) }
    const { kind } = await super.keep(late)
    // Another lead has the same key, but this one was acknowledged, too, so it is kept.
    if (kind !== 'kept') await super.keep({ ...late, dedup: { by: 'none' } })
  }

  /** Throws for a lead that is still in the journal: `undefined` would mean that it does not exist. */
  override async find(id: string): Promise<Lead | undefined> {
    if (this.#node.journal.waiting.has(id)) throw new StorageUnavailable('journaled')
    return super.find(id)
  }

  override mayWaitElsewhere(leadId: string, at: number): boolean {
    return at - timeOfId(leadId) < longestWaitMs
  }
}
