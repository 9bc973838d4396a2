/** The notices that the service sends, and which channels get each. */
import { hourMs, minuteMs, secondMs } from '../time.ts'

export const notices = {
  'lead.received': 'A Consultation request came in.',
  'lead.released': 'A request that was held has been released.',
  'lead.state_changed': 'A request moved from one state to another.',
  'lead.withdrawn': 'The customer withdrew a request.',
  'lead.asked': 'The customer asked for another time for a visit.',
  'leads.today':
    'Each day when the business opens, unless there is nothing to report: new requests, the calls and visits of the day, and requests held since the last one.',
  'delivery.dead': 'Delivery through another channel has failed for good.',
  'disk.low': 'At most once a day: the disk of the service is nearly full.',
  'backup.late': 'At most once a day: backups fail, and the newest one is too old.',
  'service.test': 'Somebody ran the command that tests the channels.',
} as const

export type NoticeKind = keyof typeof notices

/** The kinds of deliveries; `leads.gathered` and `lead.visit` go to no webhook. */
export type StoredNotice = Exclude<NoticeKind, 'service.test'> | 'leads.gathered' | 'lead.visit'

export const noticeKinds = Object.keys(notices) as NoticeKind[]

/** A webhook gets these, whatever events it asked for. */
export const alarms: readonly (NoticeKind | StoredNotice)[] = [
  'delivery.dead',
  'disk.low',
  'backup.late',
  'service.test',
]

export const ownerMail = 'mail'
export const senderMail = 'sender'
export const pushChannel = 'push'

/** People read these channels. All others are webhooks, which log every event for a program. */
export const readByPeople: readonly string[] = [ownerMail, senderMail, pushChannel]

/** For each notice, the names of the channels that get it. */
export type Recipients = Readonly<Record<NoticeKind, readonly string[]>> & {
  readonly 'lead.visit'?: readonly string[]
}

export function recipientsOf(channelsOf: (kind: NoticeKind) => string[]): Recipients {
  const recipients = {} as Record<NoticeKind, readonly string[]>
  for (const kind of noticeKinds) recipients[kind] = channelsOf(kind)
  return recipients
}

export const noRecipients = recipientsOf(() => [])

/** More tries would mean more copies through a mail server that accepts an email but answers too late. */
export const retryDelaysMs: readonly number[] = [
  5 * secondMs,
  30 * secondMs,
  2 * minuteMs,
  5 * minuteMs,
  ...Array<number>(8).fill(15 * minuteMs),
  ...Array<number>(10).fill(hourMs),
  ...Array<number>(15).fill(4 * hourMs),
]

/** About three days. */
export const retriedForMs = retryDelaysMs.reduce((sum, delay) => sum + delay, 0)
