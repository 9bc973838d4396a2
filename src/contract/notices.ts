/** Everything the owner and his systems are told, and when. Webhooks carry the same words as `type`. */
import type { Door } from './doors.ts'
import type { State } from './states.ts'

export const notices = {
  'lead.received': 'A Consultation request came in.',
  'lead.released': 'A request that was held has been released.',
  'lead.state_changed': 'A request moved from one state to another.',
  'lead.withdrawn': 'The sender took a request back.',
  'lead.waiting': 'A new request has waited for an hour of business hours.',
  'leads.held': 'Once a day, where there are any: the requests that were held since the last time.',
  'leads.flood': 'Many requests came from one address and were held, all in one notice.',
  'leads.week': 'Once a week: how many requests came, and whether every channel is well.',
  'delivery.dead': 'Another channel could not be told of something, and will not be tried again.',
  'canary.check': 'Once a day: a test request went the whole way.',
  'canary.failed': 'The daily test request did not arrive at a channel.',
  'disk.low': 'At most once a day: the disk of the service runs low.',
  'backup.late': 'At most once a day: backups fail, and the newest one is too old.',
  'service.test': 'Somebody ran the command that tries the channels.',
} as const

export type NoticeKind = keyof typeof notices

/**
 * Those that wait in the database. A test is sent at once and never stored; a digest of leads past
 * the limit of letters is a letter only.
 */
export type StoredNotice = Exclude<NoticeKind, 'service.test'> | 'leads.gathered'

export const noticeKinds = Object.keys(notices) as NoticeKind[]

/** Sent to every channel, also to those that did not ask for them: something is wrong. */
export const alarms: readonly (NoticeKind | StoredNotice)[] = [
  'delivery.dead',
  'canary.failed',
  'disk.low',
  'backup.late',
  'service.test',
]

/** The channel of notes to senders: it tells the owner nothing. */
export const senderMail = 'sender'

/** The names of the channels that get a notice of this kind. */
export type ChannelsFor = (kind: NoticeKind) => readonly string[]

export const noChannels: ChannelsFor = () => []

/** The notice for a lead that came through this door. */
export function noticeOf(door: Door): 'lead.received' | 'canary.check' {
  return door === 'canary' ? 'canary.check' : 'lead.received'
}

/**
 * Nobody is told that a held lead or spam was withdrawn. The owner was not told of it, or has put it
 * aside; a letter would be a way past the judge.
 */
export function isMoveTold(from: State, to: State): boolean {
  return to !== 'withdrawn' || (from !== 'held' && from !== 'spam')
}
