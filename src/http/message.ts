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

/** `too-large`: more than the server reads; the rest is thrown away unread. */
export type Body = Buffer | 'too-large'

/** Headers are lists of name, value, name, value. The server adds Content-Length, Date and X-Request-Id. */
export type Answer = {
  readonly status: number
  /** A frozen list that many answers share: it is checked and joined once for all of them. */
  readonly fixedHeaders?: readonly string[]
  /** Those of this answer alone. */
  readonly headers?: readonly string[]
  /** Text is sent as UTF-8. */
  readonly body: string | Buffer
  /** The body is a string in which each character stands for one byte. */
  readonly bytes?: true
  /** JSON members for the log line of this request, each after a comma. No personal data. */
  readonly logFields?: string
}

/** The service as one function: no port, no environment. */
export type App = (ask: Ask) => Answer | Promise<Answer>
