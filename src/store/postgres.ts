/**
 * The PostgreSQL engine. Group commit is self-clocked, as with SQLite: whatever waits while a group
 * is on its way is the next one. While the server is away, everything is refused at once,
 * so that nobody waits in vain, and it is tried again and again until it is back.
 */
import { StorageUnavailable, StoreRefused } from './engine.ts'
import type { Engine, Result, Row, Statement, Value } from './engine.ts'
import { isOfTheRow, wasCrossed } from './postgres-faults.ts'
import { openConnections } from './postgres-pool.ts'
import type { Query } from './postgres-pool.ts'
import { canJoin, joinBatches } from './postgres-rows.ts'
import type { Batch } from './postgres-rows.ts'
import { inPlainWords, prepareDatabase, whyAway } from './postgres-schema.ts'

const maxGroup = 256
const maxWaiting = 10_000
const triesWhenCrossed = 5
const commandDeadlineMs = 60_000
const backOffMs = { first: 50, most: 5_000 }

export type PostgresEngine = Engine & {
  /** Resolves when the server was tried for the first time; rejects where it refused us. */
  readonly tried: Promise<void>
  /** `undefined` while it answers; otherwise why it cannot be used. */
  away(): StorageUnavailable | undefined
  /** Called each time it is back. */
  onReturn(callback: () => void): void
}

type Waiting = {
  batch: Batch
  resolve: (results: readonly Result[]) => void
  reject: (error: unknown) => void
}

export type PostgresOptions = {
  url: string
  nowMs: number
  /** Has all the time in the world, but no spool: a server that is away at its start refuses it. */
  forCommand?: true
}

export function openPostgres({ url, nowMs, forCommand }: PostgresOptions): PostgresEngine {
  const connections = openConnections(url, forCommand && commandDeadlineMs)
  const returns: (() => void)[] = []
  let waiting: Waiting[] = []
  let inFlight = false
  let scheduled = false
  let prepared = false
  let away: StorageUnavailable | undefined = new StorageUnavailable('starting')
  let nextTry: NodeJS.Timeout | undefined
  let idle: (() => void) | undefined
  let closed = false
  const tried = firstTry()
  // Whoever asks first is told.
  tried.catch(() => {})

  return {
    soleWriter: false,
    tried,
    away: () => away,
    onReturn: (callback) => void returns.push(callback),
    run,
    read,
    close,
  }

  function run(batch: Batch): Promise<readonly Result[]> {
    if (!prepared) return tried.then(() => runNow(batch))
    return runNow(batch)
  }

  function runNow(batch: Batch): Promise<readonly Result[]> {
    if (away !== undefined) return Promise.reject(away)
    if (!canJoin(batch)) return transact(batch)
    if (waiting.length >= maxWaiting) return Promise.reject(new StorageUnavailable('overloaded'))
    return new Promise((resolve, reject) => {
      waiting.push({ batch, resolve, reject })
      if (scheduled || inFlight) return
      scheduled = true
      // Those who come in the same turn of the event loop share a group.
      setImmediate(sendGroup)
    })
  }

  function sendGroup(): void {
    scheduled = false
    const members = waiting.slice(0, maxGroup)
    waiting = waiting.slice(maxGroup)
    inFlight = members.length > 0
    if (inFlight) void commitGroup(members).finally(sendGroup)
    else idle?.()
  }

  async function commitGroup(members: Waiting[]): Promise<void> {
    const { query, readAnswer } = joinBatches(members.map(({ batch }) => batch))
    try {
      const results = readAnswer(await connections.commit(query))
      for (const [index, { resolve }] of members.entries()) resolve(results[index]!)
    } catch (error) {
      if (error instanceof StorageUnavailable) return leave(error, members)
      for (const { batch, resolve, reject } of members) {
        // One of them broke a rule of the schema. The others must not pay for it.
        if (isOfTheRow(error)) await transact(batch).then(resolve, reject)
        else reject(error)
      }
    }
  }

  /** A transaction of its own, statement by statement. */
  async function transact(batch: Batch): Promise<readonly Result[]> {
    for (let triesLeft = triesWhenCrossed; ; triesLeft -= 1) {
      try {
        const answers = await connections.transact(batch.map(toQuery))
        return answers.map(({ rows, count }, index) =>
          returnsRows(batch[index]![0]) ? rows : count,
        )
      } catch (error) {
        if (error instanceof StorageUnavailable) leave(error)
        if (!wasCrossed(error)) throw error
        if (triesLeft === 0) throw new StorageUnavailable('contended', error)
      }
    }
  }

  async function read(sql: string, values: readonly Value[] = []): Promise<Row[]> {
    if (!prepared) await tried
    // A server that cannot be written may well be read.
    if (away !== undefined && unreadable.has(away.reason)) throw away
    try {
      return (await connections.ask({ text: sql, values })).rows
    } catch (error) {
      // One slow question says nothing about commits.
      if (error instanceof StorageUnavailable && gone.has(error.reason)) leave(error)
      throw error
    }
  }

  /** Those who wait are told at once, and go elsewhere. */
  function leave(reason: StorageUnavailable, members: Waiting[] = []): void {
    away ??= reason
    const all = [...members, ...waiting]
    waiting = []
    for (const { reject } of all) reject(reason)
    tryLater(backOffMs.first)
  }

  async function firstTry(): Promise<void> {
    try {
      await prepare()
    } catch (error) {
      const refused = inPlainWords(error, url)
      away = toUnavailable(error)
      tryLater(backOffMs.first)
      if (refused !== undefined) throw refused
      if (forCommand) throw new StoreRefused(whyAway(error, url))
    }
  }

  async function prepare(): Promise<void> {
    await prepareDatabase(connections, nowMs)
    prepared = true
    away = undefined
  }

  function tryLater(waitMs: number): void {
    if (closed || nextTry !== undefined) return
    // Not all nodes at once.
    nextTry = setTimeout(() => void tryAgain(waitMs), waitMs * (0.5 + Math.random())).unref()
  }

  async function tryAgain(waitedMs: number): Promise<void> {
    try {
      await prepareDatabase(connections, nowMs)
      await connections.transact([proof])
    } catch (error) {
      away = toUnavailable(error)
      nextTry = undefined
      return tryLater(Math.min(waitedMs * 2, backOffMs.most))
    }
    prepared = true
    away = undefined
    nextTry = undefined
    for (const callback of returns) callback()
  }

  async function close(): Promise<void> {
    closed = true
    clearTimeout(nextTry)
    if (scheduled || inFlight) await new Promise<void>((resolve) => (idle = resolve))
    await connections.close()
  }
}

const gone = new Set(['away', 'restarting'])
const unreadable = new Set(['away', 'slow', 'starting', 'refused'])

/** A commit, so that a server that can only be read counts as away. */
const proof: Query = {
  text: `insert into probe (id, at) values (2, 0) on conflict (id) do update set at = probe.at + 1`,
}

function toUnavailable(error: unknown): StorageUnavailable {
  if (error instanceof StorageUnavailable) return error
  return new StorageUnavailable(error instanceof StoreRefused ? 'refused' : 'failing', error)
}

function toQuery([text, values]: Statement): Query {
  return { text, values }
}

function returnsRows(sql: string): boolean {
  return /^\s*select\b|\breturning\b/i.test(sql)
}
