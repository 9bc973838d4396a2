/** The rows of deliveries: leasing, ending, counting and retrying them. */
import { aheadMs } from '../clock.ts'
import { senderMail } from '../../contract/notices.ts'
import type { VisitEmail } from '../../contract/visit.ts'
import { insertDelivery, type Delivery, type NewDelivery, type Try } from './rows.ts'
import type { Span } from './about.ts'
import {
  fromRow,
  Columns,
  toAssignments,
  toParameters,
  type Engine,
  type Row,
  type Statement,
  type Value,
} from '../engine/engine.ts'

export type ChannelCount = {
  channel: string
  waiting: number
  dead: number
  oldestAt: number | undefined
}

export type Ending =
  | { kind: 'delivered' | 'dead' | 'dropped' | 'gathered' }
  | { kind: 'again'; dueAt: number }
  /** Leased, but not tried, so the lease does not count as an attempt. */
  | { kind: 'untried' }

type End = {
  ending: Ending
  at: number
  note?: Omit<Try, 'deliveryId' | 'number'>
  /** What an email about a visit said, once it is delivered. */
  said?: VisitEmail | undefined
}

/** `none`: there was nothing to send, or it was dropped. */
export type NoticeState = 'sent' | 'waiting' | 'failed' | 'none'

/**
 * A lead's deliveries in a channel go out in order: `/10/` after `/9/`, so length counts first.
 * With `done_at is null` instead of `outcome`, PostgreSQL may scan the deliveries of all leads.
 */
const inTurn = `(kind = 'lead.received' or lead_id = '' or not exists (
  select 1 from delivery as earlier
  where earlier.lead_id = delivery.lead_id and earlier.channel = delivery.channel
    and earlier.outcome = ''
    and (length(earlier.id), earlier.id) < (length(delivery.id), delivery.id)
))`

/** With a plain `in (select … limit …)`, several nodes that ask at once could lease the same row. */
const leaseSql = `
  with due as materialized (
    select id from delivery
    where channel = $1 and done_at is null and due_at <= $2 and leased_until <= $2 and ${inTurn}
    order by due_at, id limit $3 for update skip locked
  )
  update delivery set attempts = attempts + 1, leased_until = $4 where id in (select id from due)
  returning *`

export class Deliveries {
  readonly #engine: Engine

  constructor(engine: Engine) {
    this.#engine = engine
  }

  async lease(lease: {
    channel: string
    now: number
    leaseUntil: number
    limit: number
  }): Promise<Delivery[]> {
    const { channel, now, leaseUntil, limit } = lease
    const [rows] = await this.#engine.run([[leaseSql, [channel, now, limit, leaseUntil]]])
    const leased = (rows as Row[]).map(fromRow<Delivery>)
    return leased.sort((one, other) => (one.id < other.id ? -1 : 1))
  }

  /** The try and `then` are stored even if another worker has leased the delivery meanwhile. */
  async finish(leased: Delivery, end: End, then: readonly NewDelivery[] = []): Promise<void> {
    const { id: deliveryId, attempts: number } = leased
    await this.#engine.run([
      ...noteVisitEmail(leased, end),
      endLease(leased, end),
      ...(end.note ? [insertTry({ deliveryId, number, ...end.note })] : []),
      ...then.map((delivery) => insertDelivery(delivery)),
    ])
  }

  async nextDue(channel: string, now: number): Promise<number | undefined> {
    const [row] = await this.#engine.read(
      `select due_at from delivery
       where channel = $1 and done_at is null and leased_until <= $2 and ${inTurn}
       order by due_at, id limit 1`,
      [channel, now],
    )
    return row && Number(row['due_at'])
  }

  /** Emails that are being sent at once are counted by id, so that each gets its own number. */
  async countEmails(
    { id, channel }: Delivery,
    { since, now }: { since: number; now: number },
  ): Promise<number> {
    const [row] = await this.#engine.read(
      `select
         (select count(*) from delivery
          where channel = $1 and done_at > $2 and done_at <= $5 and outcome = 'delivered'
            and lead_id <> '')
         + (select count(*) from delivery
            where channel = $1 and done_at is null and leased_until > $3
              and id <= $4 and lead_id <> '')
         as n`,
      [channel, since, now, id, now + aheadMs],
    )
    return Number(row?.['n'])
  }

  async countGathered(channel: string, { from, before }: Span): Promise<number> {
    const [row] = await this.#engine.read(
      `select count(distinct lead_id) as n from delivery
       where channel = $1 and done_at >= $2 and done_at < $3 and outcome = 'gathered'`,
      [channel, from, before],
    )
    return Number(row?.['n'])
  }

  list(page: {
    outcome?: 'waiting' | 'dead'
    channel?: string
    limit: number
  }): Promise<Delivery[]> {
    const { outcome = '', channel = '', limit } = page
    const rest = `where ($1 = '' or ($1 = 'waiting' and done_at is null) or outcome = $1)
      and ($2 = '' or channel = $2) order by due_since desc, id desc limit $3`
    return readDeliveries(this.#engine, rest, [outcome, channel, limit])
  }

  ofLead(leadId: string): Promise<Delivery[]> {
    return readDeliveries(this.#engine, 'where lead_id = $1 order by id', [leadId])
  }

  async visitEmailsOf(leadId: string): Promise<VisitEmail[]> {
    const sql = `select email_key as "to", at, place, is_off, answers from visit_email
      where lead_id = $1 order by email_key`
    const rows = (await this.#engine.read(sql, [leadId])).map(fromRow<VisitEmailRow>)
    return rows.map(({ isOff, ...email }) => ({ ...email, isOff: isOff === 1 }))
  }

  async triesOfLead(leadId: string): Promise<Try[]> {
    const rows = await this.#engine.read(
      `select delivery_id, number, at, outcome, answer, ms from delivery_try
       where delivery_id in (select id from delivery where lead_id = $1) order by at, number`,
      [leadId],
    )
    return rows.map(fromRow<Try>)
  }

  async answersTo(deliveryId: string): Promise<string[]> {
    const sql = 'select answer from delivery_try where delivery_id = $1'
    return (await this.#engine.read(sql, [deliveryId])).map((row) => String(row['answer']))
  }

  async noticeStatesOf(leadIds: readonly string[]): Promise<Map<string, NoticeState>> {
    const rows = await this.#engine.read(
      `select lead_id, outcome from delivery
       where lead_id in (${toParameters(leadIds.length)})
         and kind in ('lead.received', 'lead.released') and channel <> '${senderMail}'`,
      leadIds,
    )
    const byLead = Map.groupBy(rows, (row) => String(row['lead_id']))
    return new Map(leadIds.map((id) => [id, toNoticeState(byLead.get(id) ?? [])]))
  }

  deadBetween(channel: string, { from, before }: Span, limit: number): Promise<Delivery[]> {
    const rest = `where outcome = 'dead' and channel = $1 and done_at >= $2 and done_at < $3
      order by done_at, id limit $4`
    return readDeliveries(this.#engine, rest, [channel, from, before, limit])
  }

  async count(dueBy?: number): Promise<ChannelCount[]> {
    const isLate = dueBy === undefined ? '' : 'and due_since <= $1'
    const rows = await this.#engine.read(
      `select channel, sum(waiting) as waiting, sum(dead) as dead, min(due_since) as oldest_at from (
         select channel, 1 as waiting, 0 as dead, due_since from delivery where done_at is null ${isLate}
         union all
         select channel, 0, 1, null from delivery where outcome = 'dead'
       ) as open group by channel order by channel`,
      dueBy === undefined ? [] : [dueBy],
    )
    return rows.map(fromRow<ChannelCount>)
  }

  async retry(at: number): Promise<number> {
    // Leaves out leased deliveries, because a worker is sending them.
    const [retried] = await this.#engine.run([
      [
        `update delivery set done_at = null, outcome = '', attempts = 0, leased_until = 0,
           due_at = $1, due_since = $1
         where leased_until <= $1
           and (outcome = 'dead' or (outcome = '' and problem <> ''))`,
        [at],
      ],
    ])
    return Number(retried)
  }
}

const tryColumns = new Columns('delivery_try', {
  deliveryId: 'text',
  number: 'integer',
  at: 'integer',
  outcome: 'text',
  answer: 'text',
  ms: 'integer',
})

/** Records nothing if the lead was erased during the try, because its deliveries are then deleted. */
function insertTry(one: Try): Statement {
  const isThere = 'exists (select 1 from delivery where id = $1)'
  return tryColumns.insertIf([isThere, [one.deliveryId]], one)
}

type VisitEmailRow = Omit<VisitEmail, 'isOff'> & { isOff: number }

/**
 * Comes before the lease ends, because only its holder notes what was said. Who hears that a visit is
 * off need not hear it again for an earlier address.
 */
function noteVisitEmail(leased: Delivery, { ending, said }: End): Statement[] {
  if (ending.kind !== 'delivered' || said === undefined) return []
  const { to, at, place, isOff, answers = null } = said
  const isHeld = `exists (select 1 from delivery
    where id = $1 and leased_until = $2 and done_at is null)`
  const which = [leased.id, leased.leasedUntil, leased.leadId, to]
  const note: Statement = [
    `insert into visit_email (lead_id, email_key, at, place, is_off, answers)
     select $3, $4, cast($5 as bigint), $6, cast($7 as bigint), cast($8 as bigint) where ${isHeld}
     on conflict (lead_id, email_key) do update set at = excluded.at, place = excluded.place,
       is_off = excluded.is_off, answers = coalesce(excluded.answers, visit_email.answers)`,
    [...which, at, place, Number(isOff), answers],
  ]
  const others = `delete from visit_email where lead_id = $3 and email_key <> $4 and ${isHeld}`
  return isOff ? [note, [others, which]] : [note]
}

/** Does nothing if the lease has gone to another worker, or a retry by hand has ended it. */
function endLease({ id, attempts, leasedUntil }: Delivery, end: End): Statement {
  const { ending, at, note } = end
  const problem = `${note?.outcome ?? ''} ${note?.answer ?? ''}`.trim()
  const columnsFor = () => {
    if (ending.kind === 'untried') return { attempts: attempts - 1 }
    if (ending.kind === 'again') return { due_at: ending.dueAt, problem }
    const ended = { done_at: at, outcome: ending.kind }
    return { ...ended, problem: ending.kind === 'dead' ? problem : '' }
  }
  const set = columnsFor()
  return [
    `update delivery set leased_until = 0, ${toAssignments(set, 3)}
     where id = $1 and leased_until = $2 and done_at is null`,
    [id, leasedUntil, ...Object.values(set)],
  ]
}

async function readDeliveries(
  engine: Engine,
  rest: string,
  values: readonly Value[],
): Promise<Delivery[]> {
  const rows = await engine.read(`select * from delivery ${rest}`, values)
  return rows.map(fromRow<Delivery>)
}

function toNoticeState(rows: readonly Row[]): NoticeState {
  const has = (outcome: string) => rows.some((row) => row['outcome'] === outcome)
  if (has('delivered') || has('gathered')) return 'sent'
  if (has('')) return 'waiting'
  return has('dead') ? 'failed' : 'none'
}
