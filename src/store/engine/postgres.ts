/**
 * The PostgreSQL engine. While the server is away, everything is rejected at once, and the engine
 * tries to reconnect with exponential backoff.
 */
import { minuteMs } from '../../durations.ts'
import type { Report } from '../../log.ts'
import { StorageUnavailable, StoreRefused } from './engine.ts'
import type { Engine, Result, Row, Statement, Value } from './engine.ts'
import { createGroups } from './groups.ts'
import type { WaitingBatch } from './groups.ts'
import { NewerSchema } from './migrations.ts'
import type { BeforeMigration, NoteMigration } from './migrations.ts'
import { isGone, isUnreadable, tellNewer, toUnavailable } from './postgres-away.ts'
import { isOfTheRow, wasCrossed } from './postgres-faults.ts'
import { openConnections } from './postgres-pool.ts'
import type { Query } from './postgres-pool.ts'
import { canJoin, joinBatches } from './postgres-rows.ts'
import type { Batch } from './postgres-rows.ts'
import {
  explainPostgresFault,
  prepareDatabase,
  refuseNewerSchema,
  refuseOtherSchema,
  whyAway,
} from './postgres-schema.ts'

const maxGroup = 256
const triesWhenCrossed = 5
const commandDeadlineMs = 60_000
const backOffMs = { first: 50, most: 5_000 }

export type PostgresEngine = Engine & {
  /** Resolves after the first try to connect; rejects if the server refused. */
  readonly tried: Promise<void>
  /** Why the server cannot be used; `undefined` while it can. */
  away(): StorageUnavailable | undefined
  /** Called each time it is back. */
  onReturn(callback: () => void): void
  /** Leaves a server whose schema has become newer: this program must not write to it any more. */
  lookAtSchema(): Promise<void>
}

export type PostgresOptions = {
  url: string
  nowMs: number
  /** Waits longer, and rejects if the server is away at the start: a command has no spool. */
  forCommand?: true
  /** Refuses an older schema, in place of migrating it. */
  toRead?: true
  /** For a node with a spool: begins without the server where that has a newer schema. */
  mayWait?: boolean
  /** Told when the schema has become newer. */
  report?: Report
  noteMigration?: NoteMigration | undefined
  beforeMigration?: BeforeMigration | undefined
  lookEveryMs?: number
}

export function openPostgres(options: PostgresOptions): PostgresEngine {
  const { url, forCommand, toRead, mayWait, report, lookEveryMs = minuteMs } = options
  const connections = openConnections(url, forCommand && commandDeadlineMs)
  const groups = createGroups(maxGroup, commitGroup)
  const returns: (() => void)[] = []
  let ready = false
  let away: StorageUnavailable | undefined = new StorageUnavailable('starting')
  let nextTry: NodeJS.Timeout | undefined
  let closed = false
  const tried = firstTry()
  // The first caller gets the rejection.
  tried.catch(() => {})
  const looking = forCommand || setInterval(() => void lookAtSchema(), lookEveryMs).unref()

  return {
    dialect: 'postgres',
    soleWriter: false,
    tried,
    away: () => away,
    onReturn: (callback) => void returns.push(callback),
    lookAtSchema,
    run: (batch) => (ready ? runNow(batch) : tried.then(() => runNow(batch))),
    read,
    // Rows are freed by the vacuum of the server.
    forgetDeleted() {},
    async rebuildIndex(name) {
      await tried
      if (away !== undefined) throw away
      // One that was interrupted leaves a half index behind.
      await connections.maintain([
        `drop index if exists ${name}_ccnew`,
        `reindex index concurrently ${name}`,
      ])
    },
    close,
  }

  function runNow(batch: Batch): Promise<readonly Result[]> {
    if (away !== undefined) return Promise.reject(away)
    return canJoin(batch) ? groups.add(batch) : transact(batch)
  }

  async function commitGroup(members: readonly WaitingBatch[]): Promise<void> {
    try {
      const { query, readAnswer } = joinBatches(members.map(({ batch }) => batch))
      const results = readAnswer(await connections.commit(query))
      for (const [index, { resolve }] of members.entries()) resolve(results[index]!)
    } catch (error) {
      if (error instanceof StorageUnavailable) leave(error)
      for (const { batch, resolve, reject } of members) {
        // One batch broke a constraint; commit each alone, so that the others succeed.
        if (isOfTheRow(error)) await transact(batch).then(resolve, reject)
        else reject(error)
      }
    }
  }

  /** One transaction, statement by statement. */
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

  async function read(
    sql: string,
    values: readonly Value[] = [],
    prepared?: 'prepared',
  ): Promise<Row[]> {
    if (!ready) await tried
    if (away !== undefined && isUnreadable(away)) throw away
    try {
      return (await connections.ask({ text: sql, values, ...(prepared && nameOf(sql)) })).rows
    } catch (error) {
      // A slow read says nothing about commits.
      if (error instanceof StorageUnavailable && isGone(error)) leave(error)
      throw error
    }
  }

  /** Rejects at once what waits, so that it goes to the spool. */
  function leave(reason: StorageUnavailable): void {
    if (away === undefined) stayAway(reason)
    groups.rejectWaiting(reason)
    tryLater(backOffMs.first)
  }

  function stayAway(reason: StorageUnavailable): void {
    const note = tellNewer(reason, away)
    away = reason
    if (note !== undefined) report?.('database.newer', { note })
  }

  async function lookAtSchema(): Promise<void> {
    // While it is away, each try looks.
    if (away !== undefined) return
    try {
      await refuseNewerSchema(connections)
    } catch (error) {
      // Whether the server is there, a commit finds out.
      if (error instanceof NewerSchema) leave(toUnavailable(error))
    }
  }

  async function firstTry(): Promise<void> {
    try {
      await prepareSchema()
      ready = true
      away = undefined
    } catch (error) {
      stayAway(toUnavailable(error))
      tryLater(backOffMs.first)
      if (mayWait && error instanceof NewerSchema) return
      const refused = explainPostgresFault(error, url)
      if (refused !== undefined) throw refused
      if (forCommand) throw new StoreRefused(whyAway(error, url))
    }
  }

  function prepareSchema(): Promise<void> {
    if (toRead) return refuseOtherSchema(connections)
    return prepareDatabase(connections, options)
  }

  function tryLater(waitMs: number): void {
    if (closed || nextTry !== undefined) return
    // Spread, so that not all nodes reconnect at once.
    nextTry = setTimeout(() => void tryAgain(waitMs), waitMs * (0.5 + Math.random())).unref()
  }

  async function tryAgain(waitedMs: number): Promise<void> {
    try {
      await prepareSchema()
      await connections.transact([proof])
    } catch (error) {
      stayAway(toUnavailable(error))
      nextTry = undefined
      return tryLater(Math.min(waitedMs * 2, backOffMs.most))
    }
    ready = true
    away = undefined
    nextTry = undefined
    for (const callback of returns) callback()
  }

  async function close(): Promise<void> {
    closed = true
    clearTimeout(nextTry)
    if (looking !== true) clearInterval(looking)
    await groups.idle()
    await connections.close()
  }
}

/** A write, so that a read-only server counts as away. */
const proof: Query = {
  text: `insert into probe (id, at) values (2, 0) on conflict (id) do update set at = probe.at + 1`,
}

const names = new Map<string, { name: string }>()

function nameOf(sql: string): { name: string } {
  let named = names.get(sql)
  if (named === undefined) {
    named = { name: `read-${names.size}` }
    names.set(sql, named)
  }
  return named
}

function toQuery([text, values]: Statement): Query {
  return { text, values }
}

function returnsRows(sql: string): boolean {
  return /^\s*select\b|\breturning\b/i.test(sql)
}
