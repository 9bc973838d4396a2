/** A channel is a way to send notices: mail to the owner, mail to the sender, a webhook, or notifications on devices of members. */
import type { DatedNotice } from './notice.ts'

/** How many letters or notifications about leads a channel may send in an hour, unless `lettersPerHour` says otherwise. */
export const mostAnHour = 30

export type DeliveryChannel = {
  /** The name of the channel in the database. */
  readonly name: string
  /** How many deliveries may be sent at the same time. */
  readonly atOnce: number
  readonly timeoutMs: number
  /** `perHour`: how many messages about leads may be sent in an hour. `past`: what becomes of each further one. Left out: no limit. */
  readonly letters?: { perHour: number; past: 'gathered' | 'dropped' }
  /** Returns expected failures, never throws them. Ends soon after the signal aborts. */
  send(message: Message, signal: AbortSignal): Promise<Sent>
  close(): void
}

/** `id` is the same in every try and every channel. A test has no `deliveryId`, because no delivery is stored for it. */
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

/** The result of one try. `answer` has codes or words of ours, never the receiver's text, because that may repeat personal data. */
export type Sent =
  | { kind: 'delivered'; answer: string }
  /** `accepted`: the addresses for which the mail server took the letter, if it refused others for now. */
  | {
      kind: 'failed'
      outcome: Failure
      answer: string
      retryAfterMs?: number
      accepted?: readonly string[]
    }
  /** Refused for good: a retry would change nothing. */
  | { kind: 'refused'; answer: string }
  /** Nothing was sent, and nothing needs to be sent. For example, the notice is not for this channel. */
  | { kind: 'dropped'; answer: string }

/**
 * One delivery may go to several devices or members. The answer of a try has an entry such as `id:201`
 * for each that took the message. Returns these ids, so that a retry can skip them.
 */
export function tookIn(answer: string): string[] {
  return [...answer.matchAll(/(\S+):2\d\d(?!\S)/g)].map(([, id]) => id!)
}

/** The result in one word, for a log or a table. */
export function outcomeOf(sent: Sent): string {
  return sent.kind === 'failed' ? sent.outcome : sent.kind
}

/** Thrown when a wrong setting keeps a channel from being opened. The message says what to change. */
export class WrongChannelSetting extends Error {
  override name = 'WrongChannelSetting'
}
