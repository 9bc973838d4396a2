/** The SQLite engine: a writer thread commits groups of batches; reads run on this thread. */
import { Worker } from 'node:worker_threads'
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { minuteMs } from '../../time.ts'
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
import { olderSchema } from './migrations.ts'
import {
  explainSqliteFault,
  fileIdentity,
  look,
  notOurs,
  openToRead,
  prepareFile,
  readSchema,
  storageFault,
  toSqlite,
} from './sqlite-file.ts'
import type { Lock } from './sqlite-lock.ts'
import type { BatchOutcome, WriterData } from './sqlite-writer.ts'

const maxGroup = 512
const maxWaiting = 10_000
/** A commit that takes longer is reported as failed, though it may still succeed. */
const commitDeadlineMs = 5_000
/** The first commit waits for the writer to start, which takes long on a busy machine. */
const firstDeadlineMs = minuteMs
/** Erasings within this time share one emptying of the log. */
const forgetMs = 250
/** The writer's objects live for one commit. By default its heap grows as large as that of the service. */
const resourceLimits = { maxYoungGenerationSizeMb: 6 }

export type SqliteOptions = {
  path: string
  nowMs: number
  /** Called once, when another file or none is found at the path. */
  onReplaced?: (error: DatabaseReplaced) => void
  /** Released when the engine is closed. */
  lock?: Lock
  /** Default: five seconds. A copy may take longer, since nobody waits for it. */
  commitTimeoutMs?: number
  /** Benchmarks make every commit this much slower. */
  commitDelayMs?: number
}

/** Another file, or none, is at the path. The service must end; its next start opens the file that is there. */
export class DatabaseReplaced extends StoreRefused {
  override name = 'DatabaseReplaced'

  constructor(path: string) {
    super(
      `The database ${path} was replaced or deleted while the service ran. The service ends, and its next start uses the file that is there.`,
    )
  }
}

/** Creates the file if needed, and runs the migrations that are due. */
export function openSqlite(options: SqliteOptions): Engine {
  prepareFile(options.path, options.nowMs)
  return new SqliteEngine(options)
}

type WaitingBatch = {
  batch: readonly Statement[]
  resolve: (results: readonly Result[]) => void
  reject: (error: unknown) => void
}

/**
 * Group commit without a timer: the batches that wait while a commit runs are the next group, and a
 * lone batch is sent at once.
 */
class SqliteEngine implements Engine {
  readonly dialect = 'sqlite'
  readonly #options: SqliteOptions
  readonly #reader: DatabaseSync
  readonly #prepared = new Map<string, StatementSync>()
  readonly #writer: Worker
  readonly #writerEnded: Promise<unknown>
  readonly #lookingForFile: NodeJS.Timeout | undefined
  #waiting: WaitingBatch[] = []
  /** The group that the writer commits just now. */
  #sent: readonly WaitingBatch[] = []
  #sentAt = 0
  #deadline: NodeJS.Timeout | undefined
  #deadlineMs = firstDeadlineMs
  /** The writer did not answer in time. */
  #isHung = false
  /** Why nothing can be committed any more. */
  #lost: 'replaced' | 'writer-lost' | 'closed' | undefined
  #forgetting: NodeJS.Timeout | undefined

  constructor(options: SqliteOptions) {
    const { path, commitDelayMs = 0 } = options
    this.#options = options
    const workerData: WriterData = { path, identity: fileIdentity(path)!, commitDelayMs }
    this.#reader = openToRead(path)
    const program = new URL('sqlite-writer.ts', import.meta.url)
    this.#writer = new Worker(program, { workerData, resourceLimits })
    this.#writer.on('message', (message: unknown) => {
      // `node --watch` posts its own messages on this port.
      if (Array.isArray(message)) this.#groupDone(message as BatchOutcome[])
    })
    this.#writer.on('error', (error) => this.#writerLost(error))
    this.#writerEnded = new Promise((resolve) => this.#writer.once('exit', resolve))
    // An empty commit, which writes nothing, checks whether the file is still there.
    const check = () => void this.run([]).catch(() => {})
    if (options.onReplaced) this.#lookingForFile = setInterval(check, minuteMs).unref()
  }

  run(batch: readonly Statement[]): Promise<readonly Result[]> {
    const isFull = this.#isHung || this.#waiting.length >= maxWaiting
    const reason = this.#lost ?? (isFull ? 'overloaded' : undefined)
    return reason ? Promise.reject(new StorageUnavailable(reason)) : this.#add(batch)
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
  forgetDeleted(): void {
    this.#forgetting ??= setTimeout(() => {
      this.#forgetting = undefined
      this.#writer.postMessage('empty-log')
    }, forgetMs)
  }

  async close(): Promise<void> {
    clearInterval(this.#lookingForFile)
    // An empty batch resolves after all waiting batches; later batches are refused.
    const rest = this.#lost === undefined ? this.#add([]).catch(() => {}) : undefined
    this.#lost ??= 'closed'
    await rest
    clearTimeout(this.#forgetting)
    // The writer closes last and empties the log: a reader cannot.
    this.#reader.close()
    this.#writer.postMessage('close')
    await this.#writerEnded
    this.#options.lock?.release()
  }

  #add(batch: readonly Statement[]): Promise<readonly Result[]> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ batch, resolve, reject })
      // Batches of the same turn of the event loop share the first commit.
      const isFirst = this.#waiting.length === 1 && this.#sent.length === 0
      if (isFirst) setImmediate(() => this.#sendNext())
    })
  }

  #sendNext(): void {
    const group = this.#waiting.splice(0, maxGroup)
    if (group.length === 0) return
    this.#sent = group
    this.#sentAt = performance.now()
    this.#writer.postMessage(group.map(({ batch }) => batch.map(([sql, values]) => [sql, values])))
    // Waits one more turn of the event loop: if this thread was blocked, the answer is there but not read yet.
    const giveUp = () => setImmediate(() => this.#giveUp(group))
    this.#deadline = setTimeout(giveUp, this.#deadlineMs)
  }

  #groupDone(outcomes: readonly BatchOutcome[]): void {
    const group = this.#takeSent()
    commitSeconds.note((performance.now() - this.#sentAt) / 1000)
    this.#deadlineMs = this.#options.commitTimeoutMs ?? commitDeadlineMs
    for (const [index, outcome] of outcomes.entries()) settle(group[index]!, outcome)
    if (outcomes.some(isReplaced)) this.#fileReplaced()
    this.#sendNext()
  }

  #takeSent(): readonly WaitingBatch[] {
    const group = this.#sent
    clearTimeout(this.#deadline)
    this.#sent = []
    this.#isHung = false
    return group
  }

  /** Rejects everything that waits for a writer that hangs. The group counts as sent until it is answered. */
  #giveUp(group: readonly WaitingBatch[]): void {
    if (this.#sent !== group) return
    this.#isHung = true
    const unavailable = new StorageUnavailable('slow')
    for (const { reject } of group) reject(unavailable)
    this.#rejectWaiting(unavailable)
  }

  #rejectWaiting(error: StorageUnavailable): void {
    const batches = this.#waiting.splice(0)
    for (const { reject } of batches) reject(error)
  }

  #fileReplaced(): void {
    if (this.#lost !== undefined) return
    this.#lose('replaced')
    const { path, onReplaced } = this.#options
    onReplaced?.(new DatabaseReplaced(path))
  }

  /** A programming error: the process logs it and ends. */
  #writerLost(error: unknown): void {
    for (const { reject } of this.#takeSent()) reject(new StorageUnavailable('writer-lost'))
    this.#lose('writer-lost')
    setImmediate(() => {
      throw error
    })
  }

  #lose(reason: 'replaced' | 'writer-lost'): void {
    this.#lost = reason
    this.#rejectWaiting(new StorageUnavailable(reason))
  }
}

function isReplaced(outcome: BatchOutcome): boolean {
  return 'unavailable' in outcome && outcome.unavailable === 'replaced'
}

function settle({ resolve, reject }: WaitingBatch, outcome: BatchOutcome): void {
  if ('results' in outcome) resolve(outcome.results)
  else if ('unavailable' in outcome) reject(new StorageUnavailable(outcome.unavailable))
  else reject(new Error(outcome.failed))
}

/** Opens the file for a command that only reads, beside a running service or without one. Refuses another schema. */
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
    // Opens the file for each query: a service may start meanwhile.
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
