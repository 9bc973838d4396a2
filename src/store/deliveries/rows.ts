/** A delivery and its tries as rows of the database, and the statements that add them. */
import { pushChannel, type ChannelName, type StoredNotice } from '../../contract/notices.ts'
import { Columns, type Condition, type Statement } from '../engine/engine.ts'

export type NewDelivery = {
  /** The subject, a slash and the channel, so that a notice is added only once for each channel. */
  id: string
  /** '' if the notice is not about one lead. */
  leadId: string
  channel: ChannelName
  kind: StoredNotice
  about: string
  dueAt: number
}

export type Delivery = NewDelivery & {
  /** Counts the tries since the notice was added or retried by hand, also the one under way. */
  attempts: number
  /** A worker can end only its own lease, known by this: each lease ends later than the one before. */
  leasedUntil: number
  doneAt: number | undefined
  /** '' while waiting. `gathered`: left out, but counted in a later email. `dropped`: left out for good. */
  outcome: '' | 'delivered' | 'gathered' | 'dead' | 'dropped'
  /** The result of the last try if it failed, otherwise ''. */
  problem: string
}

export type Try = {
  deliveryId: string
  number: number
  at: number
  outcome: string
  /** Codes without personal data. */
  answer: string
  ms: number
}

export function toDeliveryId(subject: string, channel: string): string {
  return `${subject}/${channel}`
}

/** The same in every channel. It has no dots, because a webhook signs `id.time.body`. */
export function toMessageId({ id, channel }: Pick<Delivery, 'id' | 'channel'>): string {
  return id.slice(0, -channel.length - 1).replaceAll(/[^\w-]/g, '-')
}

const deliveryColumns = new Columns('delivery', {
  id: 'text',
  leadId: 'text',
  channel: 'text',
  kind: 'text',
  about: 'text',
  dueAt: 'integer',
  dueSince: 'integer',
  attempts: 'integer',
})

export function insertDelivery(
  { id, leadId, channel, kind, about, dueAt }: NewDelivery,
  [condition, values]: Condition = ['true', []],
): Statement {
  const hasDevice = channel === pushChannel ? ' and exists (select 1 from push_device)' : ''
  const row = { id, leadId, channel, kind, about, dueAt, dueSince: dueAt, attempts: 0 }
  return deliveryColumns.insertIf([condition + hasDevice, values], row)
}

export function insertLeadNotice(
  lead: { id: string; version: number },
  notice: Pick<NewDelivery, 'channel' | 'kind' | 'dueAt'> & { about?: string },
  only?: Condition,
): Statement {
  const subject = notice.kind === 'lead.received' ? lead.id : `${lead.id}/${lead.version}`
  const id = toDeliveryId(subject, notice.channel)
  return insertDelivery({ about: '', ...notice, id, leadId: lead.id }, only)
}
