/** The engine on SQLite: reads in this thread, and commits by a writer, in a thread of its own or in this one. */
import { Worker } from 'node:worker_threads'
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { minuteMs } from '../../time.ts'
import { commits } from '../../metrics/metrics.ts'
import {
  beforeDeadline,
  mapDense,
  StorageUnavailable,
  StoreRefused,
  type Engine,
  type Result,
  type Row,
  type Statement,
  type Value,
} from './engine.ts'
import { olderSchema } from './migrations.ts'
import {
  explainSqliteFault,
  fileIdentity,
  look,
  notOurs,
  openToRead,
  storageFault,
  toSqlite,
} from './sqlite-file.ts'
import { prepareFile, readSchema } from './sqlite-schema.ts'
import { SqliteWriter, type BatchOutcome, type Order, type WriterData } from './sqlite-writer.ts'

const maxGroup = 512
/**
 * After a short commit the next one takes only a part of what waits, and at most so many. Otherwise
 * this thread would have nothing to answer while the writer commits, and the writer nothing to commit
 * while this one answers. On a slow disk the sync costs more than that, so a commit takes all.
 */
const shortCommitMs = 10
const takenPart = 0.8
const mostAfterShort = 32
const maxWaiting = 10_000
/** A commit that takes longer is reported as failed, though it may still succeed. */
const sqliteDeadlineMs = 5_000
/** The first commit waits for the writer thread to start, which takes long on a busy machine. */
const firstDeadlineMs = minuteMs
/** Without a limit, the writer's heap would grow, though its objects live only for one commit. */
const resourceLimits = { maxYoungGenerationSizeMb: 6 }

export type SqliteOptions = {
  path: string
  /** Whether a thread commits, so that nothing else waits for the disk. Its start takes 0.15 s of CPU. */
  inThread?: boolean
  /** Set to a longer time where no sender waits, for example in a restore. */
  commitTimeoutMs?: number
}

export class DatabaseReplaced extends StoreRefused {
  override name = 'DatabaseReplaced'

  constructor(path: string) {
    super(
      `The database ${path} was replaced or deleted while the service ran. The service ends, and its next start uses the file that is there.`,
    )
  }
}

export function openSqlite(options: SqliteOptions): Engine {
  prepareFile(options.path)
  return new SqliteEngine(options)
}

type WaitingBatch = {
  batch: readonly Statement[]
  resolve: (results: readonly Result[]) => void
  reject: (error: unknown) => void
}

/** Batches that come while a commit runs wait, and are then committed in groups. */
class SqliteEngine implements Engine {
  readonly dialect = 'sqlite'
  readonly #options: SqliteOptions
  readonly #reader: DatabaseSync
  readonly #prepared = new Map<string, StatementSync>()
  readonly #writer: Writer
  readonly #identity: string
  readonly #lookingForFile: NodeJS.Timeout
  #waiting: WaitingBatch[] = []
  #sent: readonly WaitingBatch[] = []
  #sentAt = 0
  #lastCommitMs = 0
  #deadlineMs = firstDeadlineMs
  #lost: 'writer-lost' | 'closed' | undefined

  constructor(options: SqliteOptions) {
    const { path, inThread = false } = options
    this.#options = options
    this.#identity = fileIdentity(path)!
    this.#reader = openToRead(path)
    const start = inThread ? startThread : writeHere
    this.#writer = start(
      { path, identity: this.#identity },
      {
        done: (outcomes) => this.#groupDone(outcomes),
        lost: (error) => this.#writerLost(error),
      },
    )
    // An empty commit, which writes nothing, checks whether the file is still there.
    const check = () => void this.run([]).catch(() => {})
    this.#lookingForFile = setInterval(check, minuteMs).unref()
  }

  run(batch: readonly Statement[], deadlineMs = this.#deadlineMs): Promise<readonly Result[]> {
    const isFull = this.#waiting.length >= maxWaiting
    const reason = this.#lost ?? (isFull ? 'overloaded' : undefined)
    if (reason !== undefined) return Promise.reject(new StorageUnavailable(reason))
    return beforeDeadline(deadlineMs, this.#add(batch))
  }

  async read(sql: string, values: readonly Value[] = []): Promise<Row[]> {
    return orUnavailable(() => {
      let statement = this.#prepared.get(sql)
      if (statement === undefined) {
        this.#prepared.set(sql, (statement = this.#reader.prepare(toSqlite(sql))))
      }
      return statement.all(...values) as Row[]
    })
  }

  /** Empties the write-ahead log, which still holds the deleted text. */
  forgetDeleted(everywhere = false): void {
    this.#writer.post(everywhere ? 'rewrite' : 'empty-log')
  }

  async close(): Promise<void> {
    clearInterval(this.#lookingForFile)
    // This empty batch ends after all batches that wait now.
    const rest = this.run([]).catch(() => {})
    this.#lost ??= 'closed'
    await rest
    // The writer is closed last, because it empties the log, which a reader cannot do.
    this.#reader.close()
    this.#writer.post('close')
    await this.#writer.ended
  }

  #add(batch: readonly Statement[]): Promise<readonly Result[]> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ batch, resolve, reject })
      // Waits for the end of this turn, so that the batches of one turn share a commit.
      const isFirst = this.#waiting.length === 1 && this.#sent.length === 0
      if (isFirst) setImmediate(() => this.#sendNext())
    })
  }

  #sendNext(): void {
    const group = this.#waiting.splice(0, this.#nextCount())
    if (group.length === 0) return
    this.#sent = group
    this.#sentAt = performance.now()
    this.#writer.post(mapDense(group, ({ batch }) => batch))
  }

  #nextCount(): number {
    if (this.#lastCommitMs >= shortCommitMs) return maxGroup
    return Math.min(Math.ceil(this.#waiting.length * takenPart), mostAfterShort)
  }

  #groupDone(outcomes: readonly BatchOutcome[]): void {
    const group = this.#sent
    this.#sent = []
    this.#lastCommitMs = performance.now() - this.#sentAt
    countCommits(outcomes)
    this.#deadlineMs = this.#options.commitTimeoutMs ?? sqliteDeadlineMs
    for (const [index, outcome] of outcomes.entries()) settle(group[index]!, outcome)
    this.#sendNext()
  }

  /** Throws an error that nothing catches, on purpose: it ends the service. */
  #writerLost(error: unknown): void {
    const isClosed = this.#lost === 'closed'
    this.#lost = 'writer-lost'
    const unavailable = new StorageUnavailable('writer-lost')
    for (const { reject } of [...this.#sent, ...this.#waiting.splice(0)]) reject(unavailable)
    if (isClosed) return
    const { path } = this.#options
    const isReplaced = fileIdentity(path) !== this.#identity
    setImmediate(() => {
      throw isReplaced ? new DatabaseReplaced(path) : error
    })
  }
}

type Writer = { post(order: Order): void; ended: Promise<unknown> }
type WriterEvents = { done(outcomes: BatchOutcome[]): void; lost(error: unknown): void }

function startThread(workerData: WriterData, { done, lost }: WriterEvents): Writer {
  const thread = new Worker(new URL('sqlite-thread.ts', import.meta.url), {
    workerData,
    resourceLimits,
  })
  thread.on('message', (message: unknown) => {
    // Other messages are ignored, because `node --watch` posts its own on this port.
    if (Array.isArray(message)) done(message as BatchOutcome[])
  })
  thread.on('error', lost)
  return {
    post: (order) => thread.postMessage(order),
    ended: new Promise((resolve) => thread.once('exit', resolve)),
  }
}

function writeHere(data: WriterData, { done, lost }: WriterEvents): Writer {
  const writer = new SqliteWriter(data)
  return {
    post(order) {
      try {
        const outcomes = writer.obey(order)
        if (outcomes !== undefined) done(outcomes)
      } catch (error) {
        lost(error)
      }
    },
    ended: Promise.resolve(),
  }
}

/** A group is one commit. If a batch was at fault, the writer has committed each of the others by itself. */
function countCommits(outcomes: readonly BatchOutcome[]): void {
  const kept = outcomes.filter((outcome) => 'results' in outcome).length
  const count = kept === outcomes.length ? 1 : kept
  for (let each = 0; each < count; each += 1) commits.add()
}

function settle({ resolve, reject }: WaitingBatch, outcome: BatchOutcome): void {
  if ('results' in outcome) resolve(outcome.results)
  else if ('unavailable' in outcome) reject(new StorageUnavailable(outcome.unavailable))
  else reject(new Error(outcome.failed))
}

export function openSqliteToRead(path: string): Engine {
  try {
    const schema = readSchema(path)
    if (schema === 'older') throw new StoreRefused(olderSchema)
    if (schema === undefined) throw new StoreRefused(notOurs(path))
  } catch (error) {
    throw explainSqliteFault(error, path)
  }
  return {
    dialect: 'sqlite',
    run: () => Promise.reject(new StorageUnavailable('read-only')),
    // Opens the file for each query, because a service that starts meanwhile may change it.
    read: async (sql, values = []) =>
      orUnavailable(() => look(path, (db) => db.prepare(toSqlite(sql)).all(...values) as Row[])),
    forgetDeleted() {},
    close: () => Promise.resolve(),
  }
}

function orUnavailable<T>(work: () => T): T {
  try {
    return work()
  } catch (error) {
    const reason = storageFault(error)
    throw reason === undefined ? error : new StorageUnavailable(reason)
  }
}
