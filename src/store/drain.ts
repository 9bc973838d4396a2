/**
 * Moves leads from the spool into the database, oldest first, each exactly once: the database takes
 * an id once, and only after its commit a lead leaves the spool. What it refuses is set aside.
 */
import { digest, moveOf } from './chain.ts'
import type { LeadEvent } from './chain.ts'
import { StorageUnavailable } from './engine.ts'
import type { Engine, Statement } from './engine.ts'
import { createKeepLead } from './keep.ts'
import type { PostgresEngine } from './postgres.ts'
import { columns, insertEvent, toLead } from './rows.ts'
import type { HeldClaim, Lead, NewLead } from './rows.ts'
import type { Store, Tell } from './store.ts'

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
  direct: Pick<Store, 'findLeads'>
  spoolEngine: Engine
  spool: Pick<Store, 'eventsOf'>
  now: () => number
  tell: Tell
}

const pageSize = 200
/** After a failure that the engine does not count as an absence. */
const restMs = 1_000

type Spooled = { lead: Lead; claim: HeldClaim; channels: string[]; events: LeadEvent[] }
type Outcome = { spooled: Spooled } & ({ drained: true } | { refused: unknown })

export function createDrain(parts: DrainParts): Drain {
  const { engine, direct, spoolEngine, spool, now, tell } = parts
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
    } catch (error) {
      if (!(error instanceof StorageUnavailable)) {
        tell('spool.drain-failed', { error: (error as Error).name })
      }
    } finally {
      const ms = Math.round(performance.now() - startedAt)
      if (drained > 0) tell('spool.drained', { leads: drained, ms })
    }
  }

  /** Once after each start: whatever was in its way may have been mended. */
  async function trySetAside(): Promise<void> {
    if (triedAgain) return
    const [refused] = await spoolEngine.read('select 1 from set_aside limit 1')
    if (refused !== undefined) await spoolEngine.run([['delete from set_aside', []]])
    triedAgain = true
  }

  async function nextPage(): Promise<Spooled[]> {
    const before = spooled
    const page = await readPage()
    // Unless somebody put something in meanwhile.
    empty = page.length === 0 && spooled === before
    return page
  }

  async function readPage(): Promise<Spooled[]> {
    const rows = await spoolEngine.read(
      `select ${columns}, claim from lead
       where not exists (select 1 from set_aside where lead_id = id) order by id limit $1`,
      [pageSize],
    )
    if (rows.length === 0) return []
    const leads = rows.map(toLead)
    const events = await spool.eventsOf(leads)
    const channels = await readChannels(leads.map(({ id }) => id))
    return leads.map((lead, index) => ({
      lead,
      claim: { name: String(rows[index]!['claim']), until: lead.claimUntil },
      channels: channels.get(lead.id) ?? [],
      events: events[index]!,
    }))
  }

  async function readChannels(ids: readonly string[]): Promise<Map<string, string[]>> {
    const places = ids.map((_, index) => `$${index + 1}`).join(', ')
    const rows = await spoolEngine.read(
      `select lead_id, channel from delivery where lead_id in (${places})`,
      ids,
    )
    const channels = new Map<string, string[]>()
    for (const row of rows) {
      const leadId = String(row['lead_id'])
      channels.set(leadId, [...(channels.get(leadId) ?? []), String(row['channel'])])
    }
    return channels
  }

  /** All at once, so that the engine makes groups of them. Rejects when the database is away again. */
  async function drainPage(page: readonly Spooled[]): Promise<number> {
    const settled = await Promise.allSettled(page.map(drainLead))
    const outcomes = settled.filter((each) => each.status === 'fulfilled').map(({ value }) => value)
    await spoolEngine.run(outcomes.flatMap(settle))
    const failure = settled.find((each) => each.status === 'rejected')
    if (failure !== undefined) throw failure.reason
    return outcomes.filter((outcome) => 'drained' in outcome).length
  }

  async function drainLead(each: Spooled): Promise<Outcome> {
    try {
      await moveOver(each)
      return { spooled: each, drained: true }
    } catch (error) {
      if (error instanceof StorageUnavailable) throw error
      // A try whose answer we never heard may have brought it in.
      const [found] = await direct.findLeads(each.lead.id)
      if (found?.id === each.lead.id && found.fingerprint === each.lead.fingerprint) {
        return { spooled: each, drained: true }
      }
      tell('spool.set-aside', { lead: each.lead.id, reason: reasonOf(error) })
      return { spooled: each, refused: error }
    }
  }

  async function moveOver(each: Spooled): Promise<void> {
    const lead = toNewLead(each)
    const kept = await keepLead(lead)
    if (kept.kind === 'repeated' && kept.id !== lead.id) {
      // Another node had it already. Whoever was told this id or reference will find that lead.
      await engine.run([insertAlias(lead.id, kept.id)])
      return
    }
    // Acknowledged is acknowledged: both are kept, and the key stays with the first.
    if (kept.kind === 'key-reused') {
      const name = digest(`spooled ${lead.id}`)
      await keepLead({ ...lead, claim: { by: 'earlier', held: { name, until: 0 } } })
    }
    for (const event of each.events.slice(1)) await engine.run(follow(each, event))
  }

  function settle(outcome: Outcome): Statement[] {
    const { id, eventHead } = outcome.spooled.lead
    if ('refused' in outcome) {
      return [
        [
          'insert into set_aside (lead_id, at, reason) values ($1, $2, $3) on conflict (lead_id) do nothing',
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

/** As it was when it came in; what happened to it since follows event by event. */
function toNewLead({ lead, claim, channels, events }: Spooled): NewLead {
  return {
    ...lead,
    state: events[0]?.kind === 'lead.held' ? 'held' : 'new',
    claim: { by: 'earlier', held: claim },
    deliverTo: channels,
  }
}

/** Does nothing where it was done before. */
function follow({ lead, events }: Spooled, event: LeadEvent): Statement[] {
  const before = events[event.number - 1]!.hash
  const { to } = moveOf(event)
  const change = to === undefined ? '' : ', state = $4, state_changed_at = $5'
  return [
    [
      `update lead set event_count = event_count + 1, event_head = $1${change} where id = $2 and event_head = $3`,
      [event.hash, lead.id, before, ...(to === undefined ? [] : [to, event.at])],
    ],
    insertEvent(event),
  ]
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
