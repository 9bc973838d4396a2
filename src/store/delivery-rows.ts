/** Deliveries as rows of the database, and the statements that change them. */
import type { StoredNotice } from '../contract/notices.ts'
import type { MoveEvent } from '../contract/states.ts'
import { aboutEvent } from './about.ts'
import { subjects, toDeliveryId } from './delivery-id.ts'
import type { Row, Statement } from './engine/engine.ts'
import { isUnchanged } from './events.ts'
import type { Lead } from './rows.ts'

/** One notice for one channel. */
export type NewDelivery = {
  id: string
  /** '' if the notice is not about one lead. */
  leadId: string
  channel: string
  kind: StoredNotice
  /** What the notice is about besides a lead, as about.ts writes it. */
  about: string
  dueAt: number
}

export type Delivery = NewDelivery & {
  attempts: number
  doneAt: number | undefined
  /**
   * '' while it waits. `gathered`: told of in the digest that `about` names. `dropped`: there was
   * nothing to send when it was due.
   */
  outcome: '' | 'delivered' | 'gathered' | 'dead' | 'dropped'
  /** The result of the last try, if it failed. */
  problem: string
}

/**
 * Leased by one worker. `attempts` counts the leases, this one too, and tells them apart. A try that
 * never ended, because the process died, is a lease without a row in `delivery_try`.
 */
export type Leased = Delivery

export type Try = {
  deliveryId: string
  /** Counts from 1, and again from 1 after a retry by command. */
  number: number
  at: number
  /** `delivered`, `timed-out`, `refused`, … */
  outcome: string
  /** The codes of the answer, without personal data. */
  answer: string
  ms: number
}

/** How a lease ends. `channelFault`: the channel failed, not this delivery. */
export type Ending =
  | { kind: 'delivered' | 'dead' | 'dropped' }
  /** Told of in this digest, which is added unless it is there. */
  | { kind: 'gathered'; into: NewDelivery }
  | { kind: 'again'; dueAt: number; channelFault: boolean }
  /** Not tried. */
  | { kind: 'untried'; dueAt: number }

export const deliveryColumns =
  'id, lead_id, channel, kind, about, due_at, attempts, done_at, outcome, problem'

/**
 * Not while an earlier delivery of the same lead and channel is unfinished. By length and text the id
 * of a lead comes before its moves, the ninth before the tenth, and a reminder last. What is told
 * first, and a notice that is not about one lead, need no look. By `outcome`, not by `done_at`: with
 * that, PostgreSQL may choose the index of all that waits.
 */
export const inTurn = `(kind = 'lead.received' or lead_id = '' or not exists (
  select 1 from delivery as earlier
  where earlier.lead_id = delivery.lead_id and earlier.channel = delivery.channel
    and earlier.outcome = ''
    and (length(earlier.id), earlier.id) < (length(delivery.id), delivery.id)
))`

/**
 * The plain `in (select … limit …)` form leases a row twice when several nodes ask at once. Each lease
 * is longer than the one before, by 1, 3, 5, … minutes: one that crashes the process does it less and
 * less often.
 */
export const leaseSql = `
  with due as materialized (
    select id from delivery where channel = $1 and done_at is null and due_at <= $2 and ${inTurn}
    order by due_at, id limit $3 for update skip locked
  )
  update delivery set attempts = attempts + 1, due_at = $4 + attempts * attempts * 60000, leased = 1
  where id in (select id from due)
  returning ${deliveryColumns}`

export const insertTrySql = `
  insert into delivery_try (delivery_id, at, number, outcome, answer, ms)
  values ($1, $2, $3, $4, $5, $6) on conflict (delivery_id, at, number) do nothing`

export function insertNotice({ id, leadId, channel, kind, about, dueAt }: NewDelivery): Statement {
  return [
    `insert into delivery (id, lead_id, channel, kind, about, due_at, attempts)
     values ($1, $2, $3, $4, $5, $6, 0) on conflict (id) do nothing`,
    [id, leadId, channel, kind, about, dueAt],
  ]
}

/** Only if this was noted before in the same batch. */
export function insertNoticeOf(
  once: { id: string; at: number; about: string },
  { id, leadId, channel, kind, about, dueAt }: NewDelivery,
): Statement {
  return [
    `insert into delivery (id, lead_id, channel, kind, about, due_at, attempts)
     select $1, $2, $3, $4, $5, cast($6 as bigint), 0
     where exists (select 1 from once where id = $7 and at = $8 and about = $9)
     on conflict (id) do nothing`,
    [id, leadId, channel, kind, about, dueAt, once.id, once.at, once.about],
  ]
}

/** Also locks a digest that was not tried yet, so that it is sent after this batch is committed. */
export function insertDigest({ id, channel, kind, dueAt }: NewDelivery): Statement {
  return [
    `insert into delivery (id, lead_id, channel, kind, due_at, attempts) values ($1, '', $2, $3, $4, 0)
     on conflict (id) do update set due_at = delivery.due_at
     where delivery.attempts = 0 and delivery.done_at is null`,
    [id, channel, kind, dueAt],
  ]
}

/** Part of the batch that makes the move. */
export function insertMoveNotice(
  { id, version }: Pick<Lead, 'id' | 'version'>,
  { at, kind }: { at: number; kind: MoveEvent },
  channel: string,
): Statement {
  return [
    `insert into delivery (id, lead_id, channel, kind, about, due_at, attempts)
     select $3, $1, $4, $5, $6, cast($7 as bigint), 0 where ${isUnchanged}
     on conflict (id) do nothing`,
    [
      id,
      version,
      toDeliveryId(subjects.move(id, version), channel),
      channel,
      kind,
      aboutEvent.write(version),
      at,
    ],
  ]
}

export function endLease(
  { id, attempts }: Leased,
  ending: Ending,
  at: number,
  note?: { outcome: string; answer: string },
): Statement {
  const problem = `${note?.outcome ?? ''} ${note?.answer ?? ''}`.trim()
  const held = 'where id = $1 and attempts = $2 and done_at is null'
  switch (ending.kind) {
    case 'again':
      return [
        `update delivery set leased = 0, due_at = $3, channel_fault = $4, problem = $5 ${held}`,
        [id, attempts, ending.dueAt, ending.channelFault ? 1 : 0, problem],
      ]
    case 'untried':
      return [
        `update delivery set leased = 0, due_at = $3, attempts = attempts - 1 ${held}`,
        [id, attempts, ending.dueAt],
      ]
    case 'gathered':
      // A digest that was tried does not tell of it. Then it is leased again when this lease ends.
      return [
        `update delivery set leased = 0, done_at = $3, outcome = 'gathered', about = $4, channel_fault = 0
         ${held} and exists (
           select 1 from delivery as digest where digest.id = $4 and digest.attempts = 0 and digest.done_at is null
         )`,
        [id, attempts, at, ending.into.id],
      ]
    case 'delivered':
    case 'dead':
    case 'dropped':
      return [
        `update delivery set leased = 0, done_at = $3, outcome = $4, problem = $5, channel_fault = 0 ${held}`,
        [id, attempts, at, ending.kind, ending.kind === 'dead' ? problem : ''],
      ]
  }
}

const anew = `update delivery set done_at = null, outcome = '', attempts = 0, channel_fault = 0, due_at = $1`

export function retryOne(id: string, at: number): Statement {
  return [`${anew} where id = $2 and leased = 0 and outcome in ('', 'dead')`, [at, id]]
}

/** Those that wait after a failed try, too: by their schedule it may be a day. */
export function retryAll(channel: string, at: number): Statement {
  return [
    `${anew} where ($2 = '' or channel = $2)
       and (outcome = 'dead' or (outcome = '' and problem <> '' and leased = 0))`,
    [at, channel],
  ]
}

export function toDelivery(row: Row): Delivery {
  return {
    id: String(row['id']),
    leadId: String(row['lead_id']),
    channel: String(row['channel']),
    kind: String(row['kind']) as StoredNotice,
    about: String(row['about']),
    dueAt: Number(row['due_at']),
    attempts: Number(row['attempts']),
    doneAt: row['done_at'] === null ? undefined : Number(row['done_at']),
    outcome: String(row['outcome']) as Delivery['outcome'],
    problem: String(row['problem']),
  }
}

export function toTry(row: Row): Try {
  return {
    deliveryId: String(row['delivery_id']),
    number: Number(row['number']),
    at: Number(row['at']),
    outcome: String(row['outcome']),
    answer: String(row['answer']),
    ms: Number(row['ms']),
  }
}
