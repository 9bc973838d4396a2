/** Deliveries as rows of the database, and the statements that add them in the batch of something else. */
import type { StoredNotice } from '../../contract/notices.ts'
import type { MoveEvent } from '../../contract/states.ts'
import type { Statement } from '../engine/engine.ts'
import { isUnchanged } from '../leads/events.ts'
import type { Lead } from '../leads/rows.ts'

/** One notice for one channel. */
export type NewDelivery = {
  /**
   * The subject, a slash, and the channel: adding the same delivery twice adds it once. The subject of a
   * lead that came in is its id.
   */
  id: string
  /** '' if the notice is not about one lead. */
  leadId: string
  channel: string
  kind: StoredNotice
  /** The subject besides a lead, as about.ts writes it. */
  about: string
  dueAt: number
}

export type Delivery = NewDelivery & {
  /** How often it was leased. It tells leases apart, and is 0 again after a retry by command. */
  attempts: number
  doneAt: number | undefined
  /**
   * '' while it waits. `gathered`: past the limit of letters, one letter counts it. `dropped`: there
   * was nothing to send when it was due.
   */
  outcome: '' | 'delivered' | 'gathered' | 'dead' | 'dropped'
  /** The result of the last try, if it failed. */
  problem: string
}

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

export function toDeliveryId(subject: string, channel: string): string {
  return `${subject}/${channel}`
}

/**
 * The id that receivers see, the same in every channel. It has no dots: the signature of a webhook
 * uses them between its parts.
 */
export function toMessageId({ id, channel }: Pick<Delivery, 'id' | 'channel'>): string {
  return id.slice(0, -channel.length - 1).replaceAll(/[^\w-]/g, '-')
}

const insert =
  'insert into delivery (id, lead_id, channel, kind, about, due_at, due_since, attempts)'
const unlessThere = 'on conflict (id) do nothing'

export function insertDelivery(delivery: NewDelivery): Statement {
  const { id, leadId, channel, kind, about, dueAt } = delivery
  return [
    `${insert} values ($1, $2, $3, $4, $5, $6, $6, 0) ${unlessThere}`,
    [id, leadId, channel, kind, about, dueAt],
  ]
}

/** Inserts only if `once` was noted earlier in the same batch. */
export function insertDeliveryOf(
  once: { id: string; at: number; about: string },
  { id, leadId, channel, kind, about, dueAt }: NewDelivery,
): Statement {
  return [
    `${insert} select $1, $2, $3, $4, $5, cast($6 as bigint), cast($6 as bigint), 0
     where exists (select 1 from once where id = $7 and at = $8 and about = $9) ${unlessThere}`,
    [id, leadId, channel, kind, about, dueAt, once.id, once.at, once.about],
  ]
}

/** Part of the batch that makes the move. */
export function insertMoveDelivery(
  { id, version }: Pick<Lead, 'id' | 'version'>,
  { at, kind }: { at: number; kind: MoveEvent },
  channel: string,
): Statement {
  return [
    `${insert} select $3, $1, $4, $5, '', cast($6 as bigint), cast($6 as bigint), 0
     where ${isUnchanged} ${unlessThere}`,
    [id, version, toDeliveryId(`${id}/${version}`, channel), channel, kind, at],
  ]
}

export const deliveryColumns =
  'id, lead_id, channel, kind, about, due_at, attempts, done_at, outcome, problem'
