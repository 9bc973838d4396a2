/** The kinds of answer, each with the security headers that suit it. */
import type { Answer } from './message.ts'

/** Nothing may be loaded, framed or posted from an answer that is not a page. */
export const inert = [
  'X-Content-Type-Options',
  'nosniff',
  'Content-Security-Policy',
  "default-src 'none'; frame-ancestors 'none'",
] as const

const uncached = ['Cache-Control', 'no-store'] as const

const quiet = ['Referrer-Policy', 'no-referrer'] as const

const jsonHeaders = Object.freeze(['Content-Type', 'application/json', ...inert])

const uncachedJson = Object.freeze([...jsonHeaders, ...uncached])

export function jsonAnswer(status: number, value: unknown, ...more: string[]): Answer {
  return { status, headers: uncachedJson, more, body: JSON.stringify(value) }
}

/** The answer to a POST, as JSON already. No cache keeps one, so it need not be told. */
export function postAnswer(body: string): Answer {
  return { status: 200, headers: jsonHeaders, body }
}

/** The same where the JSON is known to be ASCII, so that nobody need count its bytes. */
export function plainPostAnswer(body: string): Answer {
  return { status: 200, headers: jsonHeaders, body, bytes: true }
}

/** `policy` is the page's Content-Security-Policy, `keeping` its Cache-Control. */
export function pageAnswer(
  status: number,
  body: string,
  policy: string,
  keeping: string,
  ...more: string[]
): Answer {
  const type = ['Content-Type', 'text/html; charset=utf-8', 'X-Content-Type-Options', 'nosniff']
  const care = ['Cache-Control', keeping, ...quiet, 'Content-Security-Policy', policy]
  return { status, headers: [...type, ...care, ...more], body }
}

const emptyHeaders = Object.freeze([...inert, ...uncached, ...quiet])

export function emptyAnswer(status: number, ...more: string[]): Answer {
  return { status, headers: emptyHeaders, more, body: '' }
}

/** No cache keeps the answer to a POST, so it need not be told. */
const seeOtherHeaders = Object.freeze([...inert, ...quiet])

/** `location` is one of our constants, never anything a request said. */
export function seeOther(location: string, ...more: string[]): Answer {
  return { status: 303, headers: seeOtherHeaders, more: ['Location', location, ...more], body: '' }
}

export function withHeaders(answer: Answer, ...more: string[]): Answer {
  if (more.length === 0) return answer
  return { ...answer, more: answer.more === undefined ? more : [...answer.more, ...more] }
}

/** Name, value, name, value: all that it says itself. */
export function headersOf({ headers, more = [] }: Answer): string[] {
  return [...headers, ...more]
}
