/** The PostgreSQL engine: each batch is one transaction, each question a statement. */
import { commitSeconds } from '../../metrics/metrics.ts'
import {
  StorageUnavailable,
  StoreRefused,
  type Engine,
  type Result,
  type Row,
  type Statement,
  type Value,
} from './engine.ts'
import type { BeforeMigration, NoteMigration } from './migrations.ts'
import { wasCrossed } from './postgres-faults.ts'
import { Connections } from './postgres-pool.ts'
import {
  explainPostgresFault,
  prepareDatabase,
  refuseOtherSchema,
  whyAway,
} from './postgres-schema.ts'

const triesWhenCrossed = 5
const commandDeadlineMs = 60_000

export type PostgresOptions = {
  url: string
  nowMs: number
  /** Waits longer, and refuses in a sentence while the server is away: a command has no journal. */
  forCommand?: true
  /** Refuses an older schema, in place of migrating it. */
  toRead?: true
  noteMigration?: NoteMigration | undefined
  beforeMigration?: BeforeMigration | undefined
}

export class PostgresEngine implements Engine {
  readonly dialect = 'postgres'
  readonly soleWriter = false
  readonly #options: PostgresOptions
  readonly #connections: Connections
  #prepared: Promise<void> | undefined

  constructor(options: PostgresOptions) {
    this.#options = options
    this.#connections = new Connections(options.url, options.forCommand && commandDeadlineMs)
  }

  /** Looks at server and schema, and runs the migrations that are due. */
  async prepare(): Promise<void> {
    const { url, toRead, forCommand } = this.#options
    try {
      if (toRead) await refuseOtherSchema(this.#connections)
      else await prepareDatabase(this.#connections, this.#options)
    } catch (error) {
      const refused = explainPostgresFault(error, url)
      throw refused ?? (forCommand ? new StoreRefused(whyAway(error, url)) : error)
    }
  }

  async run(batch: readonly Statement[]): Promise<readonly Result[]> {
    await this.#ready()
    const queries = batch.map(([text, values]) => ({ text, values }))
    const startedAt = performance.now()
    for (let triesLeft = triesWhenCrossed; ; triesLeft -= 1) {
      try {
        const answers = await this.#connections.transact(queries)
        commitSeconds.note((performance.now() - startedAt) / 1000)
        return answers.map(({ rows, count }, index) =>
          returnsRows(batch[index]![0]) ? rows : count,
        )
      } catch (error) {
        if (!wasCrossed(error)) throw error
        if (triesLeft === 0) throw new StorageUnavailable('contended', error)
      }
    }
  }

  async read(text: string, values: readonly Value[] = []): Promise<Row[]> {
    await this.#ready()
    return (await this.#connections.ask({ text, values })).rows
  }

  /** Until it has succeeded once, each use tries. */
  #ready(): Promise<void> {
    this.#prepared ??= this.prepare().catch((error: unknown) => {
      this.#prepared = undefined
      throw error
    })
    return this.#prepared
  }

  /** Rows are freed by the vacuum of the server. */
  forgetDeleted(): void {}

  async rebuildIndex(name: string): Promise<void> {
    await this.#ready()
    // One that was interrupted leaves a half index behind.
    await this.#connections.maintain([
      `drop index if exists ${name}_ccnew`,
      `reindex index concurrently ${name}`,
    ])
  }

  close(): Promise<void> {
    return this.#connections.close()
  }
}

function returnsRows(sql: string): boolean {
  return /^\s*select\b|\breturning\b/i.test(sql)
}
