/** Deliveries in the database: what waits, what is leased, and the result of each try. */
import { senderMail } from '../contract/notices.ts'
import {
  deliveryColumns as columns,
  insertDelivery,
  toDelivery,
  toTry,
  type Delivery,
  type NewDelivery,
  type Try,
} from './delivery-rows.ts'
import { toParameters, type Engine, type Row, type Statement } from './engine/engine.ts'
import type { Span } from './about.ts'

export type ChannelCount = {
  channel: string
  waiting: number
  dead: number
  /** Since when the oldest waits; `undefined`: none does. */
  oldestAt: number | undefined
}

/** How a lease ends. */
export type Ending =
  | { kind: 'delivered' | 'dead' | 'dropped' | 'gathered' }
  | { kind: 'again'; dueAt: number }
  /** Not tried. */
  | { kind: 'untried' }

/** `untold`: nothing was to be sent, as of a held lead. `failed`: given up through every channel. */
export type ToldState = 'told' | 'waiting' | 'failed' | 'untold'

export type Deliveries = {
  /** Leases the oldest due deliveries until `leaseUntil`; of one lead, one at a time and in order. */
  leaseDeliveries(lease: {
    channel: string
    now: number
    leaseUntil: number
    limit: number
  }): Promise<Delivery[]>
  /**
   * Ends a lease. If it ran out and another worker has one, only the try is recorded. `then` is added
   * in the same transaction.
   */
  finishDelivery(
    leased: Delivery,
    end: { ending: Ending; at: number; note?: Omit<Try, 'deliveryId' | 'number'> },
    then?: readonly NewDelivery[],
  ): Promise<void>
  /** At a start: ends the leases of the process that was killed. Only where no other process sends. */
  releaseLeases(): Promise<void>
  /** When the next delivery is due that can be leased; `undefined`: none waits. */
  nextDue(channel: string, now: number): Promise<number | undefined>
  /** Letters about leads that were delivered since then or are under way, up to this one. */
  countLetters(leased: Delivery, time: { since: number; now: number }): Promise<number>
  /** Leads of a channel's letters that were left out in this span. */
  countGathered(channel: string, span: Span): Promise<number>
  /** Newest first. */
  listDeliveries(page: {
    outcome?: 'waiting' | 'dead'
    channel?: string
    limit: number
  }): Promise<Delivery[]>
  deliveriesOf(leadId: string): Promise<Delivery[]>
  findDelivery(id: string): Promise<Delivery | undefined>
  triesOf(deliveryId: string): Promise<Try[]>
  /** Of all its deliveries, oldest first. */
  triesOfLead(leadId: string): Promise<Try[]>
  /** Whether the owner was told of each lead, through any channel of his. */
  toldOf(leadIds: readonly string[]): Promise<Map<string, ToldState>>
  /** Dead deliveries of a channel that ended in this span, oldest first. */
  deadBetween(channel: string, span: Span, limit: number): Promise<Delivery[]>
  /** `dueBy`: of those that wait, only what should have gone out by then. */
  countDeliveries(dueBy?: number): Promise<ChannelCount[]>
  /** Starts the schedule again, for dead or waiting deliveries. Returns how many. */
  retryDeliveries(which: { id: string } | { channel?: string }, at: number): Promise<number>
}

/**
 * Not while an earlier delivery of the same lead and channel is unfinished. By length and text the id
 * of a lead comes before its moves, the ninth before the tenth, and a reminder last. What is told
 * first, and a notice that is not about one lead, need no look. By `outcome`, not by `done_at`: with
 * that, PostgreSQL may choose the index of all that waits.
 */
const inTurn = `(kind = 'lead.received' or lead_id = '' or not exists (
  select 1 from delivery as earlier
  where earlier.lead_id = delivery.lead_id and earlier.channel = delivery.channel
    and earlier.outcome = ''
    and (length(earlier.id), earlier.id) < (length(delivery.id), delivery.id)
))`

/** The plain `in (select … limit …)` form leases a row twice when several nodes ask at once. */
const leaseSql = `
  with due as materialized (
    select id from delivery
    where channel = $1 and done_at is null and due_at <= $2 and leased_until <= $2 and ${inTurn}
    order by due_at, id limit $3 for update skip locked
  )
  update delivery set attempts = attempts + 1, leased_until = $4 where id in (select id from due)
  returning ${columns}`

export function createDeliveries(engine: Engine): Deliveries {
  return {
    async leaseDeliveries({ channel, now, leaseUntil, limit }) {
      const [rows] = await engine.run([[leaseSql, [channel, now, limit, leaseUntil]]])
      const leased = (rows as Row[]).map(toDelivery)
      return leased.sort((one, other) => (one.id < other.id ? -1 : 1))
    },

    async finishDelivery(leased, { ending, at, note }, then = []) {
      await engine.run([
        endLease(leased, ending, at, note),
        ...(note === undefined ? [] : [insertTry(leased, note)]),
        ...then.map(insertDelivery),
      ])
    },

    async releaseLeases() {
      if (!engine.soleWriter) return
      const sql = 'update delivery set leased_until = 0 where done_at is null and leased_until > 0'
      await engine.run([[sql, []]])
    },

    async nextDue(channel, now) {
      const [row] = await engine.read(
        `select due_at from delivery
         where channel = $1 and done_at is null and leased_until <= $2 and ${inTurn}
         order by due_at, id limit 1`,
        [channel, now],
      )
      return row && Number(row['due_at'])
    },

    async countLetters({ id, channel }, { since, now }) {
      // Of those under way, the ones before this: so exactly as many go out as may.
      const [row] = await engine.read(
        `select
           (select count(*) from delivery
            where channel = $1 and done_at > $2 and outcome = 'delivered' and lead_id <> '')
           + (select count(*) from delivery
              where channel = $1 and done_at is null and leased_until > $3 and id <= $4
                and lead_id <> '')
           as n`,
        [channel, since, now, id],
      )
      return Number(row?.['n'])
    },

    async countGathered(channel, { from, before }) {
      const [row] = await engine.read(
        `select count(distinct lead_id) as n from delivery
         where channel = $1 and done_at >= $2 and done_at < $3 and outcome = 'gathered'`,
        [channel, from, before],
      )
      return Number(row?.['n'])
    },

    async listDeliveries({ outcome, channel, limit }) {
      const rows = await engine.read(
        `select ${columns} from delivery
         where ($1 = '' or ($1 = 'waiting' and done_at is null) or outcome = $1)
           and ($2 = '' or channel = $2)
         order by id desc limit $3`,
        [outcome ?? '', channel ?? '', limit],
      )
      return rows.map(toDelivery)
    },

    async deliveriesOf(leadId) {
      const sql = `select ${columns} from delivery where lead_id = $1 order by id`
      return (await engine.read(sql, [leadId])).map(toDelivery)
    },

    async findDelivery(id) {
      const rows = await engine.read(`select ${columns} from delivery where id = $1`, [id])
      return rows.map(toDelivery)[0]
    },

    triesOf: (deliveryId) => readTries(engine, 'delivery_id = $1', deliveryId),

    triesOfLead: (leadId) =>
      readTries(engine, 'delivery_id in (select id from delivery where lead_id = $1)', leadId),

    async toldOf(leadIds) {
      if (leadIds.length === 0) return new Map()
      const rows = await engine.read(
        `select lead_id, outcome from delivery
         where lead_id in (${toParameters(leadIds.length)})
           and kind in ('lead.received', 'lead.released') and channel <> '${senderMail}'`,
        leadIds,
      )
      const byLead = Map.groupBy(rows, (row) => String(row['lead_id']))
      return new Map(leadIds.map((id) => [id, toToldState(byLead.get(id) ?? [])]))
    },

    async deadBetween(channel, { from, before }, limit) {
      const rows = await engine.read(
        `select ${columns} from delivery
         where outcome = 'dead' and channel = $1 and done_at >= $2 and done_at < $3
         order by done_at, id limit $4`,
        [channel, from, before, limit],
      )
      return rows.map(toDelivery)
    },

    async countDeliveries(dueBy) {
      const isLate = dueBy === undefined ? '' : 'and due_since <= $1'
      const rows = await engine.read(
        `select channel, sum(waiting) as waiting, sum(dead) as dead, min(due_since) as oldest from (
           select channel, 1 as waiting, 0 as dead, due_since from delivery where done_at is null ${isLate}
           union all
           select channel, 0, 1, null from delivery where outcome = 'dead'
         ) as open group by channel order by channel`,
        dueBy === undefined ? [] : [dueBy],
      )
      return rows.map((row) => ({
        channel: String(row['channel']),
        waiting: Number(row['waiting']),
        dead: Number(row['dead']),
        oldestAt: row['oldest'] === null ? undefined : Number(row['oldest']),
      }))
    },

    async retryDeliveries(which, at) {
      // Of all: those that wait after a failed try, too. A leased one is on its way.
      const [where, value] =
        'id' in which
          ? [`id = $2 and outcome in ('', 'dead')`, which.id]
          : [
              `($2 = '' or channel = $2) and (outcome = 'dead' or (outcome = '' and problem <> ''))`,
              which.channel ?? '',
            ]
      const [retried] = await engine.run([
        [
          `update delivery set done_at = null, outcome = '', attempts = 0, due_at = $1, due_since = $1
           where ${where} and leased_until <= $1`,
          [at, value],
        ],
      ])
      return Number(retried)
    },
  }
}

function endLease(
  { id, attempts }: Delivery,
  ending: Ending,
  at: number,
  note?: { outcome: string; answer: string },
): Statement {
  const problem = `${note?.outcome ?? ''} ${note?.answer ?? ''}`.trim()
  const held = 'where id = $1 and attempts = $2 and done_at is null'
  switch (ending.kind) {
    case 'again':
      return [
        `update delivery set leased_until = 0, due_at = $3, problem = $4 ${held}`,
        [id, attempts, ending.dueAt, problem],
      ]
    case 'untried':
      return [
        `update delivery set leased_until = 0, attempts = attempts - 1 ${held}`,
        [id, attempts],
      ]
    case 'delivered':
    case 'gathered':
    case 'dead':
    case 'dropped':
      return [
        `update delivery set leased_until = 0, done_at = $3, outcome = $4, problem = $5 ${held}`,
        [id, attempts, at, ending.kind, ending.kind === 'dead' ? problem : ''],
      ]
  }
}

function insertTry(
  { id, attempts }: Delivery,
  { at, outcome, answer, ms }: Omit<Try, 'deliveryId' | 'number'>,
): Statement {
  return [
    `insert into delivery_try (delivery_id, at, number, outcome, answer, ms)
     values ($1, $2, $3, $4, $5, $6) on conflict (delivery_id, at, number) do nothing`,
    [id, at, attempts, outcome, answer, ms],
  ]
}

async function readTries(engine: Engine, where: string, id: string): Promise<Try[]> {
  const rows = await engine.read(
    `select delivery_id, number, at, outcome, answer, ms from delivery_try
     where ${where} order by at, number`,
    [id],
  )
  return rows.map(toTry)
}

function toToldState(rows: readonly Row[]): ToldState {
  const has = (outcome: string) => rows.some((row) => row['outcome'] === outcome)
  if (has('delivered') || has('gathered')) return 'told'
  if (has('')) return 'waiting'
  return has('dead') ? 'failed' : 'untold'
}
