/**
 * Requests (`Ask`) and answers as plain data, which all code behind the server and the tests use;
 * and functions that make each kind of answer, with its security headers.
 */
import type { IncomingHttpHeaders } from 'node:http'
import type { ClientAddress } from './client-address.ts'

export type Ask = {
  readonly id: string
  readonly method: string
  readonly path: string
  /** The query string, without the question mark. */
  readonly query: string
  readonly headers: IncomingHttpHeaders
  readonly body: Body
  readonly address: ClientAddress
}

/** `start`: the beginning of a body that was larger than the limit. */
export type Body = Buffer | { readonly start: Buffer }

type AnswerHead = {
  readonly status: number
  /** Names and values in turn. The server adds Content-Length, Date and X-Request-Id. */
  readonly headers: readonly string[]
  /** Facts for the log line of this request. They must contain no personal data. */
  readonly logFacts?: Readonly<Record<string, string | number | boolean | undefined>>
}

/** An answer whose body is complete. Text is sent as UTF-8. */
export type WholeAnswer = AnswerHead & { readonly body: string | Buffer }

/** An answer whose body is made piece by piece while it is sent: see docs/decisions/0013-connections.md. */
export type StreamedAnswer = AnswerHead & { readonly body: StreamSource }

/** Called when sending begins. `ended` aborts when the client disconnects or the server stops. */
export type StreamSource = (ended: AbortSignal) => AsyncGenerator<string>

export type Answer = WholeAnswer | StreamedAnswer

export function isStreamed(answer: Answer): answer is StreamedAnswer {
  return typeof answer.body === 'function'
}

/** Answers a request. Each door is such a function, and so is the whole service. */
export type App = (ask: Ask) => Answer | Promise<Answer>

/**
 * Headers of an answer that is not a page. `allowed`: directives of a Content-Security-Policy that
 * say what the answer can load. No page can frame it.
 */
export function inertHeaders(allowed = ''): string[] {
  const policy = `default-src 'none'; ${allowed}frame-ancestors 'none'`
  return ['X-Content-Type-Options', 'nosniff', 'Content-Security-Policy', policy]
}

export const uncached = ['Cache-Control', 'no-store'] as const

export const noReferrer = ['Referrer-Policy', 'no-referrer'] as const

const jsonHeaders = ['Content-Type', 'application/json', ...inertHeaders()]

export function jsonAnswer(status: number, value: unknown, ...headers: string[]): WholeAnswer {
  const body = JSON.stringify(value)
  return { status, headers: [...jsonHeaders, ...uncached, ...headers], body }
}

/** Answers a POST. `body` is JSON text. There is no Cache-Control, because caches do not store answers to a POST. */
export function postAnswer(body: string): Answer {
  return { status: 200, headers: jsonHeaders, body }
}

/** `policy` is the page's Content-Security-Policy. */
export function pageAnswer(
  status: number,
  body: string,
  policy: string,
  cacheControl: string,
  ...headers: string[]
): WholeAnswer {
  const type = ['Content-Type', 'text/html; charset=utf-8', 'X-Content-Type-Options', 'nosniff']
  const care = ['Cache-Control', cacheControl, ...noReferrer, 'Content-Security-Policy', policy]
  return { status, headers: [...type, ...care, ...headers], body }
}

export function emptyAnswer(status: number, ...headers: string[]): Answer {
  return { status, headers: [...inertHeaders(), ...uncached, ...noReferrer, ...headers], body: '' }
}

/**
 * Redirects with 303, which caches do not store. `location` must be a constant or an address whose
 * signature was checked. Programs that do not follow the redirect show `words`.
 */
export function seeOther(location: string, words: string, ...headers: string[]): Answer {
  const type = ['Content-Type', 'text/plain; charset=utf-8', ...inertHeaders(), ...noReferrer]
  const body = `${words} See ${location}.\n`
  return { status: 303, headers: [...type, 'Location', location, ...headers], body }
}

/** Redirects from another spelling of an address. With 308 the client repeats its method and body at `location`. */
export function moved(location: string, ...headers: readonly string[]): Answer {
  const words = 'This address is written otherwise.'
  return { ...seeOther(location, words, ...uncached, ...headers), status: 308 }
}

export function withHeaders<T extends Answer>(answer: T, ...more: string[]): T {
  return more.length === 0 ? answer : { ...answer, headers: [...answer.headers, ...more] }
}
