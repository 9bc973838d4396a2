/** The SQLite engine: a writer thread commits groups of batches; reads run on this thread. */
import { Worker } from 'node:worker_threads'
import type { Report } from '../../log.ts'
import { StorageUnavailable } from './engine.ts'
import type { Engine, Result, Statement } from './engine.ts'
import { createGroups } from './groups.ts'
import type { WaitingBatch } from './groups.ts'
import type { NoteMigration, TableSchema } from './migrations.ts'
import { fileIdentity, prepareFile } from './sqlite-file.ts'
import { openReader } from './sqlite-reader.ts'
import type { Group, GroupDone, GroupResult, WriterData } from './sqlite-writer.ts'

const maxGroup = 512
/** Past this a commit is reported as failed, though it may still succeed. */
const commitDeadlineMs = 5_000
/** The first commit waits for the writer to start, which takes long on a busy machine. */
const firstDeadlineMs = 60_000
/** What the writer allocates lives for one commit. By default it would take as much as the service itself. */
const writerYoungMb = 6
/** Erasings within this time share one emptying of the log. */
const forgetMs = 250

export type SqliteOptions = {
  path: string
  nowMs: number
  /** `at-once` has it ready for the first lead; the default is at the first write. */
  writer?: 'at-once' | 'when-needed'
  /** Told when the file was replaced. */
  report?: Report
  noteMigration?: NoteMigration | undefined
  /** For a copy of a database that has an older schema. */
  like?: TableSchema
  /** For a copy, which nobody waits for. */
  commitTimeoutMs?: number
  /** For benchmarks: makes every commit this much slower. */
  commitDelayMs?: number
}

type InFlight = { members: readonly WaitingBatch[]; done: () => void }

export function openSqlite(options: SqliteOptions): Engine {
  const { path, nowMs, writer = 'when-needed', commitDelayMs = 0, report } = options
  const { commitTimeoutMs = commitDeadlineMs } = options
  prepareFile(path, nowMs, options)
  const identity = fileIdentity(path)!
  const reader = openReader(path)
  const groups = createGroups(maxGroup, commitGroup)
  /** Statements that the writer knows by number. */
  const numbers = new Map<string, number>()
  let worker: Worker | undefined
  let inFlight: InFlight | undefined
  let hasCommitted = false
  let timeout: NodeJS.Timeout | undefined
  /** The file at the path is not the one that is open: what is in that one no longer counts. */
  let isLost = false
  let refusedBefore: string | undefined
  let forgetting: NodeJS.Timeout | undefined
  if (writer === 'at-once') worker = startWriter()

  return {
    dialect: 'sqlite',
    soleWriter: true,
    run,
    async read(sql, values = []) {
      if (isLost || reader.isReplaced()) await useFileAtPath()
      return reader.read(sql, values)
    },
    // The log still holds the old pages.
    forgetDeleted: () => void (forgetting ??= setTimeout(emptyLog, forgetMs)),
    // Its indexes are overwritten as rows are.
    rebuildIndex: () => Promise.resolve(),
    close,
  }

  /** The writer checks and migrates it first, or says why not. */
  async function useFileAtPath(): Promise<void> {
    // The first batch finds the file replaced; the second opens the one that is there.
    await run([]).catch(() => run([]))
    if (reader.isReplaced()) reader.reopen()
  }

  function run(batch: readonly Statement[]): Promise<readonly Result[]> {
    return isHung() ? Promise.reject(new StorageUnavailable('overloaded')) : groups.add(batch)
  }

  function commitGroup(members: readonly WaitingBatch[]): Promise<void> {
    return new Promise((done) => {
      const group = { members, done }
      inFlight = group
      worker ??= startWriter()
      worker.postMessage(toGroup(members))
      const deadlineMs = hasCommitted ? commitTimeoutMs : Math.max(commitTimeoutMs, firstDeadlineMs)
      // A turn later: if this thread was held up, the answer is there but not read yet.
      timeout = setTimeout(() => setImmediate(giveUp, group), deadlineMs)
    })
  }

  function toGroup(members: readonly WaitingBatch[]): Group {
    const group: Group = { texts: [], statements: [], values: [], lengths: [] }
    for (const { batch } of members) {
      group.lengths.push(batch.length)
      for (const [sql, values] of batch) {
        group.statements.push(numberOf(sql, group.texts))
        for (const value of values) group.values.push(value)
      }
    }
    return group
  }

  function numberOf(sql: string, newTexts: string[]): number {
    const known = numbers.get(sql)
    if (known !== undefined) return known
    const number = numbers.size
    numbers.set(sql, number)
    newTexts.push(sql)
    return number
  }

  function groupDone(result: GroupDone): void {
    clearTimeout(timeout)
    const { members, done } = inFlight!
    inFlight = undefined
    hasCommitted = true
    noteFile(result)
    if ('results' in result) resolveAll(members, result.results)
    else for (const [index, each] of result.outcomes.entries()) settle(members[index]!, each)
    done()
  }

  /** A file that is refused is tried again with each group, and reported once. */
  function noteFile({ file, refused, released }: GroupDone): void {
    if (released) {
      report?.('disk.full', { note: 'The reserve was released for the last leads. Make room.' })
    }
    if (file === 'lost') isLost = true
    if (file === 'found') {
      isLost = false
      reader.reopen()
      report?.('database.reopened', {
        note: 'The file was replaced. The new one is used from now on.',
      })
    }
    if (refused !== undefined && refused !== refusedBefore) {
      report?.('database.refused', { note: refused })
    }
    refusedBefore = refused
  }

  /** The writer hangs: everything that waits is rejected. The group stays in flight until it answers. */
  function giveUp(group: InFlight): void {
    if (inFlight !== group) return
    const unavailable = new StorageUnavailable('slow')
    for (const { reject } of group.members) reject(unavailable)
    groups.rejectWaiting(unavailable)
    timeout = undefined
  }

  function isHung(): boolean {
    return inFlight !== undefined && timeout === undefined
  }

  function startWriter(): Worker {
    numbers.clear()
    const started = new Worker(new URL('./sqlite-writer.ts', import.meta.url), {
      workerData: { path, identity, commitDelayMs } satisfies WriterData,
      resourceLimits: { maxYoungGenerationSizeMb: writerYoungMb },
    })
    // `node --watch` posts its own messages on this port.
    started.on('message', (message: GroupDone) => {
      if ('file' in message) groupDone(message)
    })
    started.on('error', (error) => {
      writerLost(started)
      // A programming error: the process logs it and ends.
      setImmediate(() => {
        throw error
      })
    })
    started.on('exit', () => writerLost(started))
    return started
  }

  function writerLost(lost: Worker): void {
    if (worker !== lost) return
    worker = undefined
    if (inFlight === undefined) return
    const outcomes = inFlight.members.map((): GroupResult => ({ unavailable: 'writer-lost' }))
    groupDone({ outcomes, file: 'same', refused: undefined, released: false })
  }

  function emptyLog(): void {
    clearTimeout(forgetting)
    forgetting = undefined
    worker?.postMessage('empty-log')
  }

  async function close(): Promise<void> {
    await groups.idle()
    clearTimeout(forgetting)
    // The writer closes last and empties the log: a reader cannot.
    reader.close()
    if (worker !== undefined) {
      const exited = new Promise((resolve) => worker!.once('exit', resolve))
      worker.postMessage('close')
      await exited
    }
  }
}

function resolveAll(members: readonly WaitingBatch[], results: Result[]): void {
  let at = 0
  for (const { batch, resolve } of members) resolve(results.slice(at, (at += batch.length)))
}

function settle({ resolve, reject }: WaitingBatch, result: GroupResult): void {
  if ('results' in result) resolve(result.results)
  else if ('unavailable' in result) reject(new StorageUnavailable(result.unavailable))
  else reject(new Error(result.failed))
}
