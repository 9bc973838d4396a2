/** Requests (`Ask`) and answers as plain data. */
import type { IncomingHttpHeaders } from 'node:http'
import type { ClientAddress } from './client-address.ts'

export type Ask = {
  readonly id: string
  readonly method: string
  readonly path: string
  readonly query: string
  readonly headers: IncomingHttpHeaders
  readonly body: Body
  readonly address: ClientAddress
}

/** `start`: the beginning of a body that was larger than the limit. */
export type Body = Buffer | { readonly start: Buffer }

type AnswerHead = {
  readonly status: number
  /** Names and values in turn: `['Vary', 'Accept']`. */
  readonly headers: readonly string[]
  /** Facts for the log must contain no personal data. */
  readonly logFacts?: Readonly<Record<string, string | number | boolean | undefined>>
}

export type WholeAnswer = AnswerHead & { readonly body: string | Buffer }

/** The body is made while it is sent: see docs/decisions/0013-connections.md. */
export type StreamedAnswer = AnswerHead & { readonly body: StreamSource }

/** `ended` aborts when the client disconnects or the server stops. */
export type StreamSource = (ended: AbortSignal) => AsyncGenerator<string>

export type Answer = WholeAnswer | StreamedAnswer

export function isStreamed(answer: Answer): answer is StreamedAnswer {
  return typeof answer.body === 'function'
}

/** Each door is such a function, and so is the whole service. */
export type App = (ask: Ask) => Answer | Promise<Answer>

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

/** There is no Cache-Control, because caches do not store answers to a POST. */
export function postAnswer(body: string): Answer {
  return { status: 200, headers: jsonHeaders, body }
}

export type PageHeaders = { policy: string; cacheControl: string; more: readonly string[] }

export function pageAnswer(status: number, body: string, headers: PageHeaders): WholeAnswer {
  const { policy, cacheControl, more } = headers
  const type = ['Content-Type', 'text/html; charset=utf-8', 'X-Content-Type-Options', 'nosniff']
  const care = ['Cache-Control', cacheControl, ...noReferrer, 'Content-Security-Policy', policy]
  return { status, headers: [...type, ...care, ...more], body }
}

export function emptyAnswer(status: number, ...headers: string[]): Answer {
  return { status, headers: [...inertHeaders(), ...uncached, ...noReferrer, ...headers], body: '' }
}

/** `location` must begin with a constant path, so that it cannot lead to another site. */
export function seeOther(location: string, words: string, ...headers: string[]): Answer {
  const type = ['Content-Type', 'text/plain; charset=utf-8', ...inertHeaders(), ...noReferrer]
  const body = `${words} See ${location}.\n`
  return { status: 303, headers: [...type, 'Location', location, ...headers], body }
}

export function moved(location: string, ...headers: readonly string[]): Answer {
  const words = 'Moved permanently.'
  return { ...seeOther(location, words, ...uncached, ...headers), status: 308 }
}

export function withHeaders<T extends Answer>(answer: T, ...more: string[]): T {
  return more.length === 0 ? answer : { ...answer, headers: [...answer.headers, ...more] }
}
