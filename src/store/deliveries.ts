/** What the store knows of deliveries: who is still to be told what, and what came of each try. */
import type { NoticeKind } from '../contract/notices.ts'
import type { MoveEvent } from '../contract/states.ts'
import type { LeadEvent } from './chain.ts'
import type { Engine, Row, Statement } from './engine.ts'

/** Word of one thing, for one channel. */
export type NewDelivery = {
  id: string
  /** '' where it is not about one lead. */
  leadId: string
  channel: string
  kind: NoticeKind
  /** What it is about besides a lead: a day, a channel, a span of time. */
  about: string
  dueAt: number
}

export type Delivery = NewDelivery & {
  attempts: number
  doneAt: number | undefined
  /** '' while it waits. `dropped`: by the time it was due, there was nothing left to tell. */
  outcome: '' | 'delivered' | 'dead' | 'dropped'
  /** What came of the last try, where it failed. */
  problem: string
}

/** Claimed by one worker until its lease ends. `attempts` counts this one, and tells claims apart. */
export type Claimed = Delivery

export type Try = {
  deliveryId: string
  /** Of the attempt, from 1; starts anew when a dead letter is replayed. */
  number: number
  at: number
  /** In our words: `delivered`, `timed-out`, `refused`, … */
  outcome: string
  /** What came back, shortened, without anybody's details. */
  said: string
  ms: number
}

/** How a claim ends. `again` may be because of the channel as a whole, and not of this one thing. */
export type Ending =
  | { kind: 'delivered' | 'dead' | 'dropped' }
  | { kind: 'again'; dueAt: number; stuck: boolean }
  /** Given back untried. */
  | { kind: 'untried'; dueAt: number }

export type ChannelCount = {
  channel: string
  waiting: number
  dead: number
  /** Of the lead that waits longest; '' where none waits. */
  oldestLead: string
}

export type Deliveries = {
  addDeliveries(list: readonly NewDelivery[]): Promise<number>
  /** The oldest that are due. Nobody else gets them before `leaseUntil`. */
  claimDeliveries(claim: {
    channel: string
    now: number
    leaseUntil: number
    limit: number
  }): Promise<Claimed[]>
  /**
   * Ends a claim, unless its lease ran out and somebody else holds it: then only the try is noted.
   * `then` is added in the same transaction.
   */
  finishDelivery(
    claimed: Claimed,
    end: { ending: Ending; at: number; note?: Omit<Try, 'deliveryId' | 'number'> },
    then?: readonly NewDelivery[],
  ): Promise<void>
  /**
   * At a start: what this process held when it was last killed is due at once, and need not wait for
   * its lease to end. Only where no other process sends.
   */
  releaseClaims(): Promise<void>
  /** When the next one is due; `undefined`: none waits. */
  nextDue(channel: string): Promise<number | undefined>
  /** The channel is back: what was put off because of it is due at once. Says how many, up to a limit. */
  hurryDeliveries(channel: string, limit: number): Promise<number>
  /** Newest first. */
  listDeliveries(page: {
    outcome?: 'waiting' | 'dead'
    channel?: string
    limit: number
  }): Promise<Delivery[]>
  deliveriesOf(leadId: string): Promise<Delivery[]>
  findDelivery(id: string): Promise<Delivery | undefined>
  triesOf(deliveryId: string): Promise<Try[]>
  /** Dead ones of a channel that ended in this span, oldest first. */
  deadBetween(channel: string, from: number, before: number, limit: number): Promise<Delivery[]>
  countDeliveries(): Promise<ChannelCount[]>
  /** Sends dead ones again, and waiting ones at once, from the start of the schedule. Says how many. */
  retryDeliveries(which: { id: string } | { channel?: string }, at: number): Promise<number>
  /** Once for everybody: true for the first who asks since `before`. */
  claimDuty(id: string, at: number, options?: { about?: string; before?: number }): Promise<boolean>
  findDuty(id: string): Promise<{ at: number; about: string } | undefined>
}

export function createDeliveries(engine: Engine): Deliveries {
  return {
    async addDeliveries(list) {
      if (list.length === 0) return 0
      const results = await engine.run(list.map(insertNotice))
      return results.reduce<number>((sum, result) => sum + Number(result), 0)
    },

    async claimDeliveries({ channel, now, leaseUntil, limit }) {
      const [rows] = await engine.run([[claimSql, [channel, now, limit, leaseUntil]]])
      const claimed = (rows as Row[]).map(toDelivery)
      return claimed.sort((one, other) => (one.id < other.id ? -1 : 1))
    },

    async finishDelivery(claimed, { ending, at, note }, then = []) {
      const batch: Statement[] = [endClaim(claimed, ending, at, note)]
      if (note !== undefined) {
        const { outcome, said, ms } = note
        const { id, attempts } = claimed
        batch.push([insertTrySql, [id, note.at, attempts, outcome, said, ms]])
      }
      await engine.run([...batch, ...then.map(insertNotice)])
    },

    async releaseClaims() {
      if (!engine.soleWriter) return
      await engine.run([
        ['update delivery set due_at = 0, claimed = 0 where claimed = 1 and done_at is null', []],
      ])
    },

    async nextDue(channel) {
      const [row] = await engine.read(
        'select min(due_at) as at from delivery where channel = $1 and done_at is null',
        [channel],
      )
      return row === undefined || row['at'] === null ? undefined : Number(row['at'])
    },

    async hurryDeliveries(channel, limit) {
      // In order of id, which for leads is the order of age.
      const [hurried] = await engine.run([
        [
          `update delivery set due_at = 0, stuck = 0 where id in (
             select id from delivery
             where channel = $1 and done_at is null and stuck = 1 and claimed = 0 limit $2
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
        `select delivery_id, number, at, outcome, said, ms from delivery_try
         where delivery_id = $1 order by at, number`,
        [deliveryId],
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

    async countDeliveries() {
      const rows = await engine.read(
        `select channel, sum(waiting) as waiting, sum(dead) as dead, min(lead_id) as oldest from (
           select channel, 1 as waiting, 0 as dead, case when lead_id = '' then null else lead_id end as lead_id
           from delivery where done_at is null
           union all
           select channel, 0, 1, null from delivery where outcome = 'dead'
         ) as open group by channel order by channel`,
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

    async claimDuty(id, at, { about = '', before = 0 } = {}) {
      const [claimed] = await engine.run([
        [
          `insert into duty (id, at, about) values ($1, $2, $3)
           on conflict (id) do update set at = excluded.at, about = excluded.about
           where duty.at < $4`,
          [id, at, about, before],
        ],
      ])
      return Number(claimed) === 1
    },

    async findDuty(id) {
      const [row] = await engine.read('select at, about from duty where id = $1', [id])
      return row && { at: Number(row['at']), about: String(row['about']) }
    },
  }
}

const columns = 'id, lead_id, channel, kind, about, due_at, attempts, done_at, outcome, problem'

/** The plain `in (select … limit …)` form claims twice when several nodes ask together. */
const claimSql = `
  with due as materialized (
    select id from delivery where channel = $1 and done_at is null and due_at <= $2
    order by due_at, id limit $3 for update skip locked
  )
  update delivery set attempts = attempts + 1, due_at = $4, claimed = 1 where id in (select id from due)
  returning ${columns}`

const insertTrySql = `
  insert into delivery_try (delivery_id, at, number, outcome, said, ms)
  values ($1, $2, $3, $4, $5, $6) on conflict (delivery_id, at, number) do nothing`

function insertNotice({ id, leadId, channel, kind, about, dueAt }: NewDelivery): Statement {
  return [
    `insert into delivery (id, lead_id, channel, kind, about, due_at, attempts)
     values ($1, $2, $3, $4, $5, $6, 0) on conflict (id) do nothing`,
    [id, leadId, channel, kind, about, dueAt],
  ]
}

/** Only if the move itself took place: its event is then the head of the lead. */
export function tellOfMove(
  event: Pick<LeadEvent, 'leadId' | 'number' | 'at' | 'hash'> & { kind: MoveEvent },
  channel: string,
): Statement {
  const { leadId, number, at, hash, kind } = event
  return [
    `insert into delivery (id, lead_id, channel, kind, about, due_at, attempts)
     select $1, $2, $3, $4, $5, cast($6 as bigint), 0
     where exists (select 1 from lead where id = $2 and event_head = $7)
     on conflict (id) do nothing`,
    [`${leadId}/${number}/${channel}`, leadId, channel, kind, String(number), at, hash],
  ]
}

function endClaim(
  { id, attempts }: Claimed,
  ending: Ending,
  at: number,
  note?: { outcome: string; said: string },
): Statement {
  const problem = `${note?.outcome ?? ''} ${note?.said ?? ''}`.trim()
  const held = 'where id = $1 and attempts = $2 and done_at is null'
  switch (ending.kind) {
    case 'again':
      return [
        `update delivery set claimed = 0, due_at = $3, stuck = $4, problem = $5 ${held}`,
        [id, attempts, ending.dueAt, ending.stuck ? 1 : 0, problem],
      ]
    case 'untried':
      return [
        `update delivery set claimed = 0, due_at = $3, attempts = attempts - 1 ${held}`,
        [id, attempts, ending.dueAt],
      ]
    case 'delivered':
    case 'dead':
    case 'dropped':
      return [
        `update delivery set claimed = 0, done_at = $3, outcome = $4, problem = $5, stuck = 0 ${held}`,
        [id, attempts, at, ending.kind, ending.kind === 'dead' ? problem : ''],
      ]
  }
}

const anew = `update delivery set done_at = null, outcome = '', attempts = 0, stuck = 0, due_at = $1`

function retryOne(id: string, at: number): Statement {
  return [`${anew} where id = $2 and claimed = 0 and outcome in ('', 'dead')`, [at, id]]
}

function retryAll(channel: string, at: number): Statement {
  return [`${anew} where outcome = 'dead' and ($2 = '' or channel = $2)`, [at, channel]]
}

function toDelivery(row: Row): Delivery {
  return {
    id: String(row['id']),
    leadId: String(row['lead_id']),
    channel: String(row['channel']),
    kind: String(row['kind']) as NoticeKind,
    about: String(row['about']),
    dueAt: Number(row['due_at']),
    attempts: Number(row['attempts']),
    doneAt: row['done_at'] === null ? undefined : Number(row['done_at']),
    outcome: String(row['outcome']) as Delivery['outcome'],
    problem: String(row['problem']),
  }
}

function toTry(row: Row): Try {
  return {
    deliveryId: String(row['delivery_id']),
    number: Number(row['number']),
    at: Number(row['at']),
    outcome: String(row['outcome']),
    said: String(row['said']),
    ms: Number(row['ms']),
  }
}
