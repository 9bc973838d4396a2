/** A channel is a way out: mail to the owner or the sender, a webhook, a notification on a phone. */
import type { DatedNotice } from './notice.ts'

/** Most letters or notifications about leads in an hour. One more letter then says how many were left out. */
export const mostAnHour = 30

export type DeliveryChannel = {
  /** The name in the database. */
  readonly name: string
  /** How many deliveries go out side by side. */
  readonly atOnce: number
  readonly timeoutMs: number
  /** `perHour`: most letters about leads that go out in an hour. `past`: the outcome of further letters. */
  readonly letters?: { perHour: number; past: 'gathered' | 'dropped' }
  /** Returns expected failures, never throws them. Ends soon after the signal aborts. */
  send(message: Message, signal: AbortSignal): Promise<Sent>
  close(): void
}

/** `id` is the same for all tries of a notice, in all channels. A test has no `deliveryId`. */
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

/** The result of one try. `answer` holds only codes, because the text of a receiver may repeat personal data. */
export type Sent =
  | { kind: 'delivered'; answer: string }
  /** `accepted`: recipients who have the letter, although the server refused others for now. */
  | {
      kind: 'failed'
      outcome: Failure
      answer: string
      retryAfterMs?: number
      accepted?: readonly string[]
    }
  /** Refused for good: a retry would change nothing. */
  | { kind: 'refused'; answer: string }
  /** There is nothing to tell this channel. */
  | { kind: 'dropped'; answer: string }

/**
 * One delivery may go to several devices or members. Its answer has an entry such as `id:201` for each,
 * so that a retry can skip those that took it. Returns their ids.
 */
export function tookIn(answer: string): string[] {
  return [...answer.matchAll(/(\S+):2\d\d(?!\S)/g)].map(([, id]) => id!)
}

/** The outcome in a word, for a log or a table. */
export function outcomeOf(sent: Sent): string {
  return sent.kind === 'failed' ? sent.outcome : sent.kind
}

/** Thrown when a wrong setting keeps a channel from being opened. The message says what to change. */
export class WrongChannelSetting extends Error {
  override name = 'WrongChannelSetting'
}
