/** A way to tell somebody: the owner's mailbox, a webhook. Each is a file beside this one. */
import type { Notice } from './notice.ts'

export type DeliveryChannel = {
  /** As it stands in the database. */
  readonly name: string
  /** How many go out side by side. */
  readonly atOnce: number
  readonly timeoutMs: number
  /** Never rejects for what can be expected. Ends soon after the signal. */
  send(message: Message, signal: AbortSignal): Promise<Sent>
  close(): void
}

export type Message = {
  /** The same for every try, and for every channel that is told of the same thing. */
  id: string
  /** When the thing itself happened. */
  at: number
  notice: Notice
}

export type Failure =
  | 'connection-refused'
  | 'connection-lost'
  | 'unknown-host'
  | 'address-not-allowed'
  | 'timed-out'
  | 'tls-failed'
  | 'not-let-in'
  | 'answered'
  | 'failed'

/** What came of one try. `answer` carries codes only, never a text that may repeat what was sent. */
export type Sent =
  | { kind: 'delivered'; answer: string }
  /** `channelFault`: the channel is at fault, not this message. */
  | {
      kind: 'failed'
      outcome: Failure
      answer: string
      channelFault: boolean
      retryAfterMs?: number
    }
  /** For good: to try again would change nothing. */
  | { kind: 'refused'; answer: string }
  /** There is nothing to tell this channel. */
  | { kind: 'dropped'; answer: string }

/** In a word, for a log or a table. */
export function outcomeOf(sent: Sent): string {
  return sent.kind === 'failed' ? sent.outcome : sent.kind
}
