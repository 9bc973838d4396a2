/** A channel is a way out: mail to the owner or the sender, a webhook. */
import type { DatedNotice } from './notice.ts'

export type DeliveryChannel = {
  /** The name in the database. */
  readonly name: string
  /** How many deliveries go out side by side. */
  readonly atOnce: number
  readonly timeoutMs: number
  /** How many letters about leads go out in an hour, and what becomes of more. */
  readonly letters?: { perHour: number; past: 'gathered' | 'dropped' }
  /** Expected failures are returned, not thrown. Ends soon after the signal. */
  send(message: Message, signal: AbortSignal): Promise<Sent>
  close(): void
}

/** `id` is the same for every try, and in every channel that tells of the same thing. */
export type Message = DatedNotice & { id: string }

export type Failure =
  | 'connection-refused'
  | 'connection-lost'
  | 'unknown-host'
  | 'timed-out'
  | 'tls-failed'
  | 'not-let-in'
  | 'answered'
  | 'failed'

/** The result of one try. `answer` carries codes only, never a text that may repeat what was sent. */
export type Sent =
  | { kind: 'delivered'; answer: string }
  | { kind: 'failed'; outcome: Failure; answer: string; retryAfterMs?: number }
  /** Refused for good: trying again would change nothing. */
  | { kind: 'refused'; answer: string }
  /** There is nothing to tell this channel. */
  | { kind: 'dropped'; answer: string }

/** The outcome in a word, for a log or a table. */
export function outcomeOf(sent: Sent): string {
  return sent.kind === 'failed' ? sent.outcome : sent.kind
}

/** A setting keeps a channel from being opened. The message says what to change. */
export class WrongChannelSetting extends Error {
  override name = 'WrongChannelSetting'
}
