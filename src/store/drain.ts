/**
 * Moves leads from the spool into the database, oldest first, each exactly once: the database takes
 * an id once, and only after its commit a lead leaves the spool. What it refuses is set aside.
 */
import { movesFrom } from '../contract/states.ts'
import { StorageUnavailable, toParameters } from './engine.ts'
import type { Statement } from './engine.ts'
import { wasOver } from './dedup.ts'
import { createKeepLead } from './keep.ts'
import { untilMoved } from './moves.ts'
import type { PostgresEngine } from './postgres.ts'
import type { Lead } from './rows.ts'
import { audienceOf, ownDedupKey, readSpooled, sinceThen, toNewLead } from './spooled.ts'
import type { Spooled } from './spooled.ts'
import type { SqliteEngine } from './sqlite.ts'
import type { Store, Report } from './store.ts'

export type Drain = {
  start(): void
  /** A lead was put into the spool. */
  noteSpooled(): void
  /** Nothing waits here; what was set aside does not count. */
  isEmpty(): boolean
  stop(): Promise<void>
}

export type DrainParts = {
  engine: PostgresEngine
  direct: Pick<Store, 'findLead' | 'moveLead' | 'eventsOf'>
  spoolEngine: SqliteEngine
  spool: Pick<Store, 'eventsOf'>
  now: () => number
  report: Report
}

const pageSize = 200
/** After a failure that the engine does not count as an absence. */
const restMs = 1_000

type Outcome = { spooled: Spooled } & ({ drained: true } | { refused: unknown })

export function createDrain(parts: DrainParts): Drain {
  const { engine, direct, spoolEngine, spool, now, report } = parts
  const keepLead = createKeepLead(engine)
  // Until it was looked at, there may be something in it.
  let empty = false
  let spooled = 0
  let running: Promise<void> | undefined
  let rest: NodeJS.Timeout | undefined
  let stopped = false
  let triedAgain = false

  return {
    start,
    noteSpooled() {
      empty = false
      spooled += 1
      if (engine.away() === undefined) start()
    },
    isEmpty: () => empty,
    async stop() {
      stopped = true
      clearTimeout(rest)
      await running
    },
  }

  function start(): void {
    if (stopped || empty) return
    running ??= drainAll().finally(() => {
      running = undefined
      if (stopped || empty || engine.away() !== undefined) return
      clearTimeout(rest)
      rest = setTimeout(start, restMs).unref()
    })
  }

  async function drainAll(): Promise<void> {
    const startedAt = performance.now()
    let drained = 0
    try {
      await trySetAside()
      for (let page = await nextPage(); page.length > 0; page = await nextPage()) {
        if (stopped || engine.away() !== undefined) return
        drained += await drainPage(page)
      }
      // What has gone to the database leaves no trace here.
      if (drained > 0) spoolEngine.emptyLog()
    } catch (error) {
      if (!(error instanceof StorageUnavailable)) {
        report('spool.drain-failed', { error: (error as Error).name })
      }
    } finally {
      const ms = Math.round(performance.now() - startedAt)
      if (drained > 0) report('spool.drained', { leads: drained, ms })
    }
  }

  /** Once after each start: whatever was in its way may have been mended. */
  async function trySetAside(): Promise<void> {
    if (triedAgain) return
    const [refused] = await spoolEngine.read('select 1 from rejected limit 1')
    if (refused !== undefined) await spoolEngine.run([['delete from rejected', []]])
    triedAgain = true
  }

  async function nextPage(): Promise<Spooled[]> {
    const before = spooled
    const page = await readSpooled({ spoolEngine, spool }, pageSize)
    // Unless somebody put something in meanwhile.
    empty = page.length === 0 && spooled === before
    return page
  }

  /** All at once, so that the engine makes groups of them. Rejects when the database is away again. */
  async function drainPage(page: readonly Spooled[]): Promise<number> {
    const named = await aliasesAmong(page)
    const settled = await Promise.allSettled(
      page.map((each) => (named.has(each.lead.id) ? finish(each) : drainLead(each))),
    )
    const outcomes = settled.filter((each) => each.status === 'fulfilled').map(({ value }) => value)
    await spoolEngine.run(outcomes.flatMap(settle))
    const failure = settled.find((each) => each.status === 'rejected')
    if (failure !== undefined) throw failure.reason
    return outcomes.filter((outcome) => 'drained' in outcome).length
  }

  async function drainLead(each: Spooled): Promise<Outcome> {
    try {
      await moveOver(each)
    } catch (error) {
      if (error instanceof StorageUnavailable) throw error
      // A try whose answer we never heard may have brought it in.
      const found = await direct.findLead(each.lead.id)
      if (found?.id !== each.lead.id || found.fingerprint !== each.lead.fingerprint) {
        report('spool.rejected', { lead: each.lead.id, reason: reasonOf(error) })
        return { spooled: each, refused: error }
      }
      const since = sinceThen(each)
      if (since.length > 0) await engine.run(since)
    }
    return finish(each)
  }

  async function finish(each: Spooled): Promise<Outcome> {
    await withdrawToo(each)
    return { spooled: each, drained: true }
  }

  /** Those that were moved over before, as another name of a lead; but a drain was cut off. */
  async function aliasesAmong(page: readonly Spooled[]): Promise<Set<string>> {
    const rows = await engine.read(
      `select id from alias where id in (${toParameters(page.length)})`,
      page.map(({ lead }) => lead.id),
    )
    return new Set(rows.map((row) => String(row['id'])))
  }

  async function moveOver(each: Spooled): Promise<void> {
    const { id } = each.lead
    const isAnother = (holder: Lead) => areTwo(each, holder)
    const kept = await keepLead(toNewLead(each, isAnother))
    // Another node had it already. Whoever was told this id or reference will find that lead.
    if (kept.kind === 'repeated') await engine.run([insertAlias(id, kept.id)])
    // Acknowledged is acknowledged: both are kept, and the key stays with the other.
    if (kept.kind === 'key-reused') await keepLead(toNewLead(each, isAnother, ownDedupKey(id)))
  }

  /** What was sent again after the first was withdrawn, or too long after it, is a lead of its own. */
  async function areTwo({ lead, claim }: Spooled, other: Lead): Promise<boolean> {
    if (wasOver(other, lead.receivedAt)) return true
    if (claim.until <= other.receivedAt) return true
    return lead.state === 'withdrawn' && lead.stateChangedAt <= (await lastSent(other, lead))
  }

  /** At first, or as a repeat that came after this lead. */
  async function lastSent(other: Lead, lead: Lead): Promise<number> {
    const [events = []] = await direct.eventsOf([other])
    const repeats = events.filter(
      ({ kind, at }) => kind === 'lead.repeated' && at > lead.receivedAt,
    )
    return Math.max(other.receivedAt, ...repeats.map(({ at }) => at))
  }

  /** The sender was told so: it holds, whoever else had the lead, unless the owner has closed it since. */
  async function withdrawToo(each: Spooled): Promise<void> {
    const { lead } = each
    if (lead.state !== 'withdrawn') return
    const audience = audienceOf(each)
    await untilMoved(async () => {
      const found = await direct.findLead(lead.id)
      if (found === undefined || !movesFrom(found.state, 'sender').includes(lead.state))
        return 'done'
      return (await direct.moveLead(found, lead.state, 'sender', lead.stateChangedAt, audience))
        .kind
    })
  }

  function settle(outcome: Outcome): Statement[] {
    const { id, eventHead } = outcome.spooled.lead
    if ('refused' in outcome) {
      return [
        [
          'insert into rejected (lead_id, at, reason) values ($1, $2, $3) on conflict (lead_id) do nothing',
          [id, now(), reasonOf(outcome.refused)],
        ],
      ]
    }
    // If something happened to it meanwhile, it stays, and that follows with the next page.
    return [
      ['delete from lead where id = $1 and event_head = $2', [id, eventHead]],
      ...['event', 'delivery'].map((table): Statement => [
        `delete from ${table} where lead_id = $1 and not exists (select 1 from lead where id = $1)`,
        [id],
      ]),
    ]
  }
}

function insertAlias(id: string, leadId: string): Statement {
  return [
    'insert into alias (id, lead_id) values ($1, $2) on conflict (id) do nothing',
    [id, leadId],
  ]
}

/** Without what stands in quotes: it may be a person's words. */
function reasonOf(error: unknown): string {
  const { code, message } = error as { code?: string; message: string }
  return `${code ?? 'failed'}: ${message.replaceAll(/"[^"]*"/g, '"…"')}`
}
