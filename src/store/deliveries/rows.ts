import { pushChannel, type StoredNotice } from '../../contract/notices.ts'
import { insertIf, type Condition, type Statement } from '../engine/engine.ts'
import { ifUnchanged } from '../leads/events.ts'

export type NewDelivery = {
  /**
   * The subject, a slash and the channel. The subject of `lead.received` is the lead's id. Later
   * notices about the lead add its version. A delivery whose id exists already is not added again.
   */
  id: string
  /** '' if the notice is not about one lead. */
  leadId: string
  channel: string
  kind: StoredNotice
  about: string
  dueAt: number
}

export type Delivery = NewDelivery & {
  /** Counts the leases, without untried ones. `finishDelivery` knows its lease by this number. A retry by command sets it to 0. */
  attempts: number
  doneAt: number | undefined
  /** '' while the delivery waits. `gathered`: one later letter tells how many were left out. `dropped`: left out for good. */
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

/** This id is the same in every channel. Dots are replaced, because a webhook signs parts that dots separate. */
export function toMessageId({ id, channel }: Pick<Delivery, 'id' | 'channel'>): string {
  return id.slice(0, -channel.length - 1).replaceAll(/[^\w-]/g, '-')
}

export function insertDelivery(
  { id, leadId, channel, kind, about, dueAt }: NewDelivery,
  [condition, values]: Condition = ['true', []],
): Statement {
  const hasDevice = channel === pushChannel ? ' and exists (select 1 from push_device)' : ''
  const row = { id, leadId, channel, kind, about, dueAt, dueSince: dueAt, attempts: 0 }
  return insertIf([condition + hasDevice, values], 'delivery', row)
}

export function insertLeadNotice(
  lead: { id: string; version: number },
  notice: Pick<NewDelivery, 'channel' | 'kind' | 'dueAt'> & { about?: string },
): Statement {
  const subject = notice.kind === 'lead.received' ? lead.id : `${lead.id}/${lead.version}`
  const id = toDeliveryId(subject, notice.channel)
  return insertDelivery({ about: '', ...notice, id, leadId: lead.id }, ifUnchanged(lead))
}
