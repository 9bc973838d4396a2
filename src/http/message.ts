/** A request and a response as plain data. Everything behind the server speaks these, and so do the tests. */
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

export type Answer = {
  readonly status: number
  /**
   * Name, value, name, value. Those of a frozen list are made ready once for all answers. The server
   * adds Content-Length, Date and X-Request-Id.
   */
  readonly headers: readonly string[]
  /** What this one answer says besides. */
  readonly more?: readonly string[]
  /** A text is sent as UTF-8; where `bytes` is set, each character of it stands for one byte. */
  readonly body: string | Buffer
  readonly bytes?: true
  /** For the log line of this request: JSON members, each after a comma; never a person's details. */
  readonly note?: string
}

/** The service as one function: no port, no environment. */
export type App = (ask: Ask) => Answer | Promise<Answer>
