/**
 * A request and an answer as plain data: everything behind the server speaks these, and so do the
 * tests. Then the kinds of answer, each with the security headers that suit it.
 */
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

/** `start`: the beginning of a body that is larger than the server keeps. */
export type Body = Buffer | { readonly start: Buffer }

type AnswerHead = {
  readonly status: number
  /** Name, value, name, value. The server adds Content-Length, Date and X-Request-Id. */
  readonly headers: readonly string[]
  /** Facts for the log line of this request. No personal data. */
  readonly logFacts?: Readonly<Record<string, string | number | boolean | undefined>>
}

/** Text is sent as UTF-8. */
export type WholeAnswer = AnswerHead & { readonly body: string | Buffer }

/** Its body is made while it is sent, piece by piece: see docs/decisions/0013-connections.md. */
export type StreamedAnswer = AnswerHead & { readonly body: StreamSource }

/** Called when the sending begins. `ended`: nobody reads any more, or the server stops. */
export type StreamSource = (ended: AbortSignal) => AsyncGenerator<string>

export type Answer = WholeAnswer | StreamedAnswer

export function isStreamed(answer: Answer): answer is StreamedAnswer {
  return typeof answer.body === 'function'
}

/** The service as one function: no port, no environment. */
export type App = (ask: Ask) => Answer | Promise<Answer>

/** Nothing may be loaded, framed or posted from an answer that is not a page, but what `allowed` names. */
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

/** The answer to a POST, as JSON already. Caches do not store one, so it has no Cache-Control. */
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
 * Answers a POST: caches do not store it. `location` is a constant, or an address whose signature was
 * checked. The text is for programs that do not follow; no browser shows it.
 */
export function seeOther(location: string, words: string, ...headers: string[]): Answer {
  const type = ['Content-Type', 'text/plain; charset=utf-8', ...inertHeaders(), ...noReferrer]
  const body = `${words} See ${location}.\n`
  return { status: 303, headers: [...type, 'Location', location, ...headers], body }
}

/** Redirects from another spelling of an address. The client repeats its method and body there. */
export function moved(location: string, ...headers: readonly string[]): Answer {
  const words = 'This address is written otherwise.'
  return { ...seeOther(location, words, ...uncached, ...headers), status: 308 }
}

export function withHeaders<T extends Answer>(answer: T, ...more: string[]): T {
  return more.length === 0 ? answer : { ...answer, headers: [...answer.headers, ...more] }
}
