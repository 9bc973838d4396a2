/** The notices that the service sends, the channels they leave by, and which channels get each. */
import { dayMs, hourMs, minuteMs, secondMs } from '../time.ts'

/** The events of webhooks. What each reader gets of them is in `src/delivery/notices.ts`. */
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

export type WebhookEvent = keyof typeof notices

/** These go to no webhook. */
const unpublished = ['leads.gathered', 'lead.visit'] as const

export type NoticeKind = WebhookEvent | (typeof unpublished)[number]

/** The kinds of deliveries. */
export type StoredNotice = Exclude<NoticeKind, 'service.test'>

export type LeadNoticeKind = Extract<NoticeKind, `lead.${string}`>

export const noticeKinds = Object.keys(notices) as WebhookEvent[]

/** A program logs every event. People read only what still matters when it leaves. */
export type Reader = 'owner' | 'customer' | 'phone' | 'program'

type ChannelRow = {
  readBy: Reader
  /** Its name in the story of a request. */
  inStory: string
  /**
   * What the operator sets so that he hears of requests: then `test-notification` sends a test through
   * the channel. `undefined`: a member adds it in the inbox, or it notifies customers.
   */
  setBy: string | undefined
}

/** The names of channels are stored with their deliveries. */
export const channels = {
  mail: { readBy: 'owner', inStory: 'Email to you', setBy: 'SMTP_URL' },
  sender: { readBy: 'customer', inStory: 'Email to the customer', setBy: undefined },
  /** Each webhook has a name of its own. */
  webhook: { readBy: 'program', inStory: 'Message', setBy: 'a webhook' },
  push: { readBy: 'phone', inStory: 'Notification on your phones', setBy: undefined },
} as const satisfies Record<string, ChannelRow>

export type Channel = keyof typeof channels
export type ChannelName = Exclude<Channel, 'webhook'> | `webhook${string}`

export const ownerMail = 'mail' satisfies Channel
export const senderMail = 'sender' satisfies Channel
export const pushChannel = 'push' satisfies Channel

export function isOwnChannel(name: string): name is Exclude<Channel, 'webhook'> {
  return name !== 'webhook' && Object.hasOwn(channels, name)
}

export function readerOf(name: string): Reader {
  return rowOf(name).readBy
}

/** The readers whose channels are tested. The compiler asks what they get of the notice `service.test`. */
export type TestedReader = Extract<(typeof channels)[Channel], { readonly setBy: string }>['readBy']

export function isTested(name: string): boolean {
  return rowOf(name).setBy !== undefined
}

/** What to set so that somebody is notified: "SMTP_URL", "a webhook". */
export const channelSettings: readonly string[] = Object.values(channels).flatMap(
  ({ setBy }) => setBy ?? [],
)

function rowOf(name: string): ChannelRow {
  return channels[isOwnChannel(name) ? name : 'webhook']
}

/** For each notice, the names of the channels that get it. */
export type Recipients = Readonly<Record<NoticeKind, readonly ChannelName[]>>

export function recipientsOf(channelsOf: (kind: NoticeKind) => ChannelName[]): Recipients {
  const recipients = {} as Record<NoticeKind, readonly ChannelName[]>
  for (const kind of [...noticeKinds, ...unpublished]) recipients[kind] = channelsOf(kind)
  return recipients
}

/** For programs that change no lead of which anybody hears. */
export const nobody = recipientsOf(() => [])

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

/** A longer Retry-After is cut to this. */
export const longestDelayMs = dayMs

/** About three days. */
export const retriedForMs = retryDelaysMs.reduce((sum, delay) => sum + delay, 0)
