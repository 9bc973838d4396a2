/** A channel sends notices: mail to the owner or to senders, a webhook, or push notifications. */
import type { DatedNotice } from './notice.ts'

export type DeliveryChannel = {
  readonly name: string
  readonly atOnce: number
  readonly timeoutMs: number
  /** What becomes of messages about leads above the hourly limit. Left out: there is no limit. */
  readonly pastLimit?: 'gathered' | 'dropped'
  /** Returns expected failures, never throws them. Ends soon after the signal aborts. */
  send(message: Message, signal: AbortSignal): Promise<Sent>
  close?(): void
}

/** `id` is the same in every try and every channel. A test has no `deliveryId`. */
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
  /** `accepted`: the addresses that have the letter, if the mail server refused others for now. */
  | {
      kind: 'failed'
      outcome: Failure
      answer: string
      retryAfterMs?: number
      accepted?: readonly string[]
    }
  /** A retry would change nothing. */
  | { kind: 'refused'; answer: string }
  /** Nothing needs to be sent. */
  | { kind: 'dropped'; answer: string }

/** Reads entries such as `id:201`, one for each device or member that took the message. */
export function tookIn(answer: string): string[] {
  return [...answer.matchAll(/(\S+):2\d\d(?!\S)/g)].map(([, id]) => id!)
}

export function outcomeOf(sent: Sent): string {
  return sent.kind === 'failed' ? sent.outcome : sent.kind
}

export class WrongChannelSetting extends Error {
  override name = 'WrongChannelSetting'
}
