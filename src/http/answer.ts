/** The kinds of answer, each with the security headers that suit it. */
import type { Answer, WholeAnswer } from './message.ts'

/** Nothing may be loaded, framed or posted from an answer that is not a page, but what `allowed` names. */
export function inertHeaders(allowed = ''): string[] {
  const policy = `default-src 'none'; ${allowed}frame-ancestors 'none'`
  return ['X-Content-Type-Options', 'nosniff', 'Content-Security-Policy', policy]
}

const inert = inertHeaders()

export const uncached = ['Cache-Control', 'no-store'] as const

export const noReferrer = ['Referrer-Policy', 'no-referrer'] as const

const jsonHeaders = Object.freeze(['Content-Type', 'application/json', ...inert])

const uncachedJson = Object.freeze([...jsonHeaders, ...uncached])

export function jsonAnswer(status: number, value: unknown, ...headers: string[]): WholeAnswer {
  return { status, fixedHeaders: uncachedJson, headers, body: JSON.stringify(value) }
}

/** The answer to a POST, as JSON already. Caches do not store one, so it has no Cache-Control. */
export function postAnswer(body: string): Answer {
  return { status: 200, fixedHeaders: jsonHeaders, body }
}

/** The same for JSON that is known to be ASCII, so that its bytes need not be counted. */
export function plainPostAnswer(body: string): Answer {
  return { status: 200, fixedHeaders: jsonHeaders, body, bytes: true }
}

/** `policy` is the page's Content-Security-Policy. */
export function pageAnswer(
  status: number,
  body: string,
  policy: string,
  cacheControl: string,
  ...headers: string[]
): Answer {
  const type = ['Content-Type', 'text/html; charset=utf-8', 'X-Content-Type-Options', 'nosniff']
  const care = ['Cache-Control', cacheControl, ...noReferrer, 'Content-Security-Policy', policy]
  return { status, headers: [...type, ...care, ...headers], body }
}

const emptyHeaders = Object.freeze([...inert, ...uncached, ...noReferrer])

export function emptyAnswer(status: number, ...headers: string[]): Answer {
  return { status, fixedHeaders: emptyHeaders, headers, body: '' }
}

/** An answer whose headers never change, to be made once and sent often. */
export function fixedAnswer(answer: Answer): Answer {
  const { headers: _, ...rest } = answer
  return { ...rest, fixedHeaders: Object.freeze(headersOf(answer)) }
}

export function withHeaders(answer: Answer, ...more: string[]): Answer {
  if (more.length === 0) return answer
  return { ...answer, headers: answer.headers === undefined ? more : [...answer.headers, ...more] }
}

/** All that the answer says itself: name, value, name, value. */
export function headersOf({ fixedHeaders = [], headers = [] }: Answer): string[] {
  return [...fixedHeaders, ...headers]
}
