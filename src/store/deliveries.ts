/** Deliveries in the database: what waits, what is leased, and the result of each try. */
import {
  leaseSql,
  deliveryColumns as columns,
  endLease,
  insertDigest,
  insertNotice,
  insertTrySql,
  inTurn,
  retryAll,
  retryOne,
  toDelivery,
  toTry,
} from './delivery-rows.ts'
import type { Leased, Delivery, Ending, NewDelivery, Try } from './delivery-rows.ts'
import type { Engine, Row, Statement } from './engine/engine.ts'

export type ChannelCount = {
  channel: string
  waiting: number
  dead: number
  /** The id of the lead that waits longest; '' if none waits. */
  oldestLead: string
}

export type Deliveries = {
  addDeliveries(list: readonly NewDelivery[]): Promise<number>
  /** Leases the oldest due deliveries until `leaseUntil`; of one lead, one at a time and in order. */
  leaseDeliveries(lease: {
    channel: string
    now: number
    leaseUntil: number
    limit: number
  }): Promise<Leased[]>
  /**
   * Ends a lease. If it ran out and another worker has one, only the try is recorded. `then` is added
   * in the same transaction.
   */
  finishDelivery(
    leased: Leased,
    end: { ending: Ending; at: number; note?: Omit<Try, 'deliveryId' | 'number'> },
    then?: readonly NewDelivery[],
  ): Promise<void>
  /**
   * At a start: makes due what this process had leased when it was killed, without waiting for the
   * leases to end. What was leased often waits: it may be what crashes the process. Only where no other
   * process sends.
   */
  releaseLeases(): Promise<void>
  /** When the next delivery is due that can be leased; `undefined`: none waits. */
  nextDue(channel: string): Promise<number | undefined>
  /** The channel works again: makes due what failed because of it, up to a limit. Returns how many. */
  retryPutOff(channel: string, limit: number): Promise<number>
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
  /** Dead deliveries of a channel that ended in this span, oldest first. */
  deadBetween(channel: string, from: number, before: number, limit: number): Promise<Delivery[]>
  /** `dueBy`: of those that wait, only what should have gone out by then, and what failed before. */
  countDeliveries(dueBy?: number): Promise<ChannelCount[]>
  /** Starts the schedule again, for dead or waiting deliveries. Returns how many. */
  retryDeliveries(which: { id: string } | { channel?: string }, at: number): Promise<number>
}

/** So many leases in a row may be cut off by a crash before the next one has to wait. */
const releasedLeases = 3

export function createDeliveries(engine: Engine): Deliveries {
  return {
    async addDeliveries(list) {
      if (list.length === 0) return 0
      const results = await engine.run(list.map(insertNotice))
      return results.reduce<number>((sum, result) => sum + Number(result), 0)
    },

    async leaseDeliveries({ channel, now, leaseUntil, limit }) {
      const [rows] = await engine.run([[leaseSql, [channel, now, limit, leaseUntil]]])
      const leased = (rows as Row[]).map(toDelivery)
      return leased.sort((one, other) => (one.id < other.id ? -1 : 1))
    },

    async finishDelivery(leased, { ending, at, note }, then = []) {
      const batch: Statement[] = ending.kind === 'gathered' ? [insertDigest(ending.into)] : []
      batch.push(endLease(leased, ending, at, note))
      if (note !== undefined) {
        const { outcome, answer, ms } = note
        const { id, attempts } = leased
        batch.push([insertTrySql, [id, note.at, attempts, outcome, answer, ms]])
      }
      await engine.run([...batch, ...then.map(insertNotice)])
    },

    async releaseLeases() {
      if (!engine.soleWriter) return
      await engine.run([
        [
          `update delivery set leased = 0, due_at = case when attempts <= $1 then 0 else due_at end
           where leased = 1 and done_at is null`,
          [releasedLeases],
        ],
      ])
    },

    async nextDue(channel) {
      const [row] = await engine.read(
        `select due_at from delivery where channel = $1 and done_at is null and ${inTurn}
         order by due_at, id limit 1`,
        [channel],
      )
      return row && Number(row['due_at'])
    },

    async retryPutOff(channel, limit) {
      // With the same due time they are leased by id, which sorts leads by age.
      const [hurried] = await engine.run([
        [
          `update delivery set due_at = 0, channel_fault = 0 where id in (
             select id from delivery
             where channel = $1 and done_at is null and channel_fault = 1 and leased = 0 limit $2
           )`,
          [channel, limit],
        ],
      ])
      return Number(hurried)
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

    async triesOf(deliveryId) {
      const rows = await engine.read(
        `select delivery_id, number, at, outcome, answer, ms from delivery_try
         where delivery_id = $1 order by at, number`,
        [deliveryId],
      )
      return rows.map(toTry)
    },

    async triesOfLead(leadId) {
      const rows = await engine.read(
        `select delivery_id, number, at, outcome, answer, ms from delivery_try
         where delivery_id in (select id from delivery where lead_id = $1) order by at, number`,
        [leadId],
      )
      return rows.map(toTry)
    },

    async deadBetween(channel, from, before, limit) {
      const rows = await engine.read(
        `select ${columns} from delivery
         where outcome = 'dead' and channel = $1 and done_at >= $2 and done_at < $3
         order by done_at, id limit $4`,
        [channel, from, before, limit],
      )
      return rows.map(toDelivery)
    },

    async countDeliveries(dueBy) {
      const isLate = dueBy === undefined ? '' : `and (due_at <= $1 or problem <> '')`
      const rows = await engine.read(
        `select channel, sum(waiting) as waiting, sum(dead) as dead, min(lead_id) as oldest from (
           select channel, 1 as waiting, 0 as dead, case when lead_id = '' then null else lead_id end as lead_id
           from delivery where done_at is null ${isLate}
           union all
           select channel, 0, 1, null from delivery where outcome = 'dead'
         ) as open group by channel order by channel`,
        dueBy === undefined ? [] : [dueBy],
      )
      return rows.map((row) => ({
        channel: String(row['channel']),
        waiting: Number(row['waiting']),
        dead: Number(row['dead']),
        oldestLead: row['oldest'] === null ? '' : String(row['oldest']),
      }))
    },

    async retryDeliveries(which, at) {
      const [retried] = await engine.run([
        'id' in which ? retryOne(which.id, at) : retryAll(which.channel ?? '', at),
      ])
      return Number(retried)
    },
  }
}
