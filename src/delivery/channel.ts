/** A channel is a way out for notices. Each row of `channels` in the contract has a class of this type. */
import type { ChannelName } from '../contract/notices.ts'
import type { DatedNotice } from './notice.ts'

export type DeliveryChannel = {
  readonly name: ChannelName
  readonly atOnce: number
  readonly timeoutMs: number
  /** `gathered`: messages above the hourly limit are counted in one later message. `undefined`: no limit. */
  readonly aboveLimit?: 'gathered' | 'dropped'
  /** Returns expected failures, never throws them. Ends soon after the signal aborts. */
  send(message: Message, signal: AbortSignal): Promise<Sent>
  /** Says in words what to do about a failure. */
  explain?(sent: Sent): string
  close?(): void
}

/** Emails about leads that one channel sends in an hour. More would bury the inbox of a person. */
export const mostEmailsPerHour = 30

/** `id` is the same in every try and every channel. A test message has no `deliveryId`. */
export type Message = DatedNotice & { id: string; deliveryId?: string }

export type Failure =
  | 'connection-refused'
  | 'connection-lost'
  | 'unknown-host'
  | 'timed-out'
  | 'tls-failed'
  | 'not-let-in'
  | 'answered'
  | 'failed'

/** `answer` has codes or our own words, never the receiver's, which may repeat personal data. */
export type Sent =
  | { kind: 'delivered'; answer: string }
  /** `accepted`: the addresses that have the email, if the mail server refused others for now. */
  | {
      kind: 'failed'
      outcome: Failure
      answer: string
      retryAfterMs?: number
      accepted?: readonly string[]
    }
  /** A retry would change nothing. */
  | { kind: 'refused'; answer: string }
  /** The channel sends nothing, because the notice is empty or has no recipient. */
  | { kind: 'dropped'; answer: string }

/** Returns the ids of those that took the message: a and b for `a:201 b:250 c:503`. */
export function tookIn(answer: string): string[] {
  return [...answer.matchAll(/(\S+):2\d\d(?!\S)/g)].map(([, id]) => id!)
}

/** A delivery that an earlier version added for a channel whose reader gets no such notice. */
export const notForReader: Sent = { kind: 'dropped', answer: 'not for this channel' }

export function outcomeOf(sent: Sent): string {
  return sent.kind === 'failed' ? sent.outcome : sent.kind
}

export class WrongChannelSetting extends Error {
  override name = 'WrongChannelSetting'
}
