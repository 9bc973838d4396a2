/** The kinds of answer, each with the security headers that suit it. */
import type { Answer } from './message.ts'

const everywhere = [
  'X-Content-Type-Options',
  'nosniff',
  'Referrer-Policy',
  'no-referrer',
  'Cache-Control',
  'no-store',
] as const

/** Nothing may be loaded, framed or posted from an answer that is not a page. */
const inert = "default-src 'none'; frame-ancestors 'none'"

const jsonHeaders = [
  'Content-Type',
  'application/json',
  ...everywhere,
  'Content-Security-Policy',
  inert,
] as const

const pageHeaders = ['Content-Type', 'text/html; charset=utf-8', ...everywhere] as const

const emptyHeaders = [...everywhere, 'Content-Security-Policy', inert] as const

export function jsonAnswer(status: number, value: unknown, ...more: string[]): Answer {
  return withHeaders(jsonTextAnswer(status, JSON.stringify(value)), ...more)
}

/** For text that is JSON already. */
export function jsonTextAnswer(status: number, body: string): Answer {
  return { status, headers: jsonHeaders, body }
}

/** `policy` is the page's Content-Security-Policy. */
export function pageAnswer(
  status: number,
  body: string,
  policy: string,
  ...more: string[]
): Answer {
  return {
    status,
    headers: [...pageHeaders, 'Content-Security-Policy', policy, ...more],
    body,
  }
}

export function emptyAnswer(status: number, ...more: string[]): Answer {
  return { status, headers: [...emptyHeaders, ...more], body: '' }
}

/** `location` is one of our constants, never anything a request said. */
export function seeOther(location: string, ...more: string[]): Answer {
  return emptyAnswer(303, 'Location', location, ...more)
}

export function withHeaders(answer: Answer, ...more: string[]): Answer {
  return more.length === 0 ? answer : { ...answer, headers: [...answer.headers, ...more] }
}
