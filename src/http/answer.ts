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
  const headers = more.length === 0 ? uncachedJson : [...uncachedJson, ...more]
  return { status, headers, body: JSON.stringify(value) }
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

export function emptyAnswer(status: number, ...more: string[]): Answer {
  return { status, headers: [...inert, ...uncached, ...quiet, ...more], body: '' }
}

/** `location` is one of our constants, never anything a request said. */
export function seeOther(location: string, ...more: string[]): Answer {
  // No cache keeps the answer to a POST, so it need not be told.
  return { status: 303, headers: [...inert, ...quiet, 'Location', location, ...more], body: '' }
}

export function withHeaders(answer: Answer, ...more: string[]): Answer {
  return more.length === 0 ? answer : { ...answer, headers: [...answer.headers, ...more] }
}
