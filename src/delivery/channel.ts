/** A channel sends notices: mail to the owner or to senders, a webhook, or push notifications. */
import type { DatedNotice } from './notice.ts'

export type DeliveryChannel = {
  readonly name: string
  readonly atOnce: number
  readonly timeoutMs: number
  /** Above the hourly limit, messages about leads are `dropped`, or `gathered` (one later message counts them). `undefined`: no limit. */
  readonly pastLimit?: 'gathered' | 'dropped'
  /** Returns expected failures, never throws them. Ends soon after the signal aborts. */
  send(message: Message, signal: AbortSignal): Promise<Sent>
  close?(): void
}

/** `id` is the same in every try and every channel. Only the notice `service.test` has no `deliveryId`. */
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
  /** There is nothing to send, or nobody to send it to. */
  | { kind: 'dropped'; answer: string }

/** `answer` has an entry such as `id:201` for each device or member that took the message. Returns these ids. */
export function tookIn(answer: string): string[] {
  return [...answer.matchAll(/(\S+):2\d\d(?!\S)/g)].map(([, id]) => id!)
}

export function outcomeOf(sent: Sent): string {
  return sent.kind === 'failed' ? sent.outcome : sent.kind
}

export class WrongChannelSetting extends Error {
  override name = 'WrongChannelSetting'
}
