/** Requests (`Ask`) and answers as plain data. */
import type { IncomingHttpHeaders } from 'node:http'
import type { Readable } from 'node:stream'
import type { ClientAddress } from './client-address.ts'

export type Ask = {
  readonly id: string
  readonly method: string
  readonly path: string
  readonly query: string
  readonly headers: IncomingHttpHeaders
  readonly body: Body
  readonly address: ClientAddress
  /** The body of a route that takes a file. Its door reads it; `body` is empty. See upload.ts. */
  readonly stream?: Readable | undefined
}

/** `start`: the beginning of a body that was larger than the limit. */
export type Body = Buffer | { readonly start: Buffer }

/** By name, as it is written: `{ Vary: 'Accept' }`. */
export type Headers = Readonly<Record<string, string>>

type AnswerFields = {
  readonly status: number
  readonly headers: Headers
  /** Values of `Set-Cookie`, which may stand in an answer more than once. */
  readonly cookies?: readonly string[] | undefined
  /** Facts for the log must contain no personal data. */
  readonly logFacts?: Readonly<Record<string, string | number | boolean | undefined>>
}

export type WholeAnswer = AnswerFields & { readonly body: string | Buffer }

/** The body is made while it is sent: see docs/decisions/0013-connections.md. */
export type StreamedAnswer = AnswerFields & { readonly body: StreamSource }

/** `ended` aborts when the client disconnects or the server stops. */
export type StreamSource = (ended: AbortSignal) => AsyncGenerator<string>

export type Answer = WholeAnswer | StreamedAnswer

/** Doors pass on either an answer, or a value from which one is made. */
export function isAnswer(value: object): value is Answer {
  return 'body' in value
}

export function isStreamed(answer: Answer): answer is StreamedAnswer {
  return typeof answer.body === 'function'
}

/** Each door is such a function, and so is the whole service. */
export type App = (ask: Ask) => Answer | Promise<Answer>

export function withHeaders<T extends Answer>(answer: T, headers: Headers): T {
  return { ...answer, headers: { ...answer.headers, ...headers } }
}

export function withCookies<T extends Answer>(answer: T, cookies: readonly string[]): T {
  return { ...answer, cookies: [...(answer.cookies ?? []), ...cookies] }
}
