/** A request and an answer as plain data. Everything behind the server speaks these, and so do the tests. */
import type { IncomingHttpHeaders } from 'node:http'
import type { ClientAddress } from './client-address.ts'

export type Ask = {
  readonly id: string
  readonly method: string
  readonly path: string
  /** Without the question mark. */
  readonly query: string
  readonly headers: IncomingHttpHeaders
  readonly body: Body
  readonly address: ClientAddress
}

/** `too-large`: more than the server keeps. */
export type Body = Buffer | 'too-large'

type AnswerHead = {
  readonly status: number
  /** Name, value, name, value. The server adds Content-Length, Date and X-Request-Id. */
  readonly headers: readonly string[]
  /** For the log line of this request. No personal data. */
  readonly logFacts?: Readonly<Record<string, string | number | boolean | undefined>>
}

/** Text is sent as UTF-8. */
export type WholeAnswer = AnswerHead & { readonly body: string | Buffer }

/** Its body is made while it is sent, piece by piece: see docs/decisions/0038-streams.md. */
export type StreamedAnswer = AnswerHead & { readonly body: StreamSource }

/** Called when the sending begins. `ended`: nobody reads any more, or the server stops. */
export type StreamSource = (ended: AbortSignal) => AsyncGenerator<string>

export type Answer = WholeAnswer | StreamedAnswer

export function isStreamed(answer: Answer): answer is StreamedAnswer {
  return typeof answer.body === 'function'
}

/** The service as one function: no port, no environment. */
export type App = (ask: Ask) => Answer | Promise<Answer>
